import type { Upstreams } from "../../gateway/gateway.ts";
import type { Environment } from "../terminal/output.ts";

/** Whose servers an API is usually asked at. */
export type Api = "anthropic" | "openai" | "gemini";

/** An agent that people run, and how it is pointed at another base URL. */
export interface Agent {
  readonly title: string;
  /** What it is started as. */
  readonly programs: readonly string[];
  /** What it is installed as, for `npx` and its like. */
  readonly packages: readonly string[];
  readonly ways: readonly Way[];
  /** What gives it the gateway's MCP server for this run; undefined where nothing but a file of the person's does. */
  readonly recallWays?: readonly Way[];
  /** Whether the gateway adds the recall tool to its requests in a run, because nothing can give it the MCP server. @default false */
  readonly recallsInGateway?: boolean;
  /** Where its requests go unless someone says otherwise. @default where those of the API go */
  readonly upstreams?: Upstreams;
}

/** One thing that points an agent; `{url}` stands for the gateway's. */
export type Way = (
  | BaseUrlVariable
  /** JSON in a variable; what is in it already stays where ours says nothing. */
  | { readonly type: "json-variable"; readonly name: string; readonly value: JsonTemplate }
  /** Arguments right after the name of the program; `{base}` stands for what its variable would be set to, which is only read. */
  | { readonly type: "arguments"; readonly values: readonly string[]; readonly base?: BaseUrlVariable }
  /**
   * A file for this run alone, named right after the name of the program by an option, in one word with it where the option ends with "=" or "=@"; or by a
   * variable that holds nothing yet.
   */
  | { readonly type: "file"; readonly option: string; readonly fileName: string; readonly content: string }
  | { readonly type: "file-variable"; readonly name: string; readonly fileName: string; readonly content: string }
  /** What the person has to know, or to do. */
  | { readonly type: "note"; readonly text: string }
) & {
  /** Whether it holds in this environment. @default always */
  readonly applies?: (environment: Environment) => boolean;
};

/** A variable that holds a base URL. What it held before is where the requests shall go. */
export interface BaseUrlVariable {
  readonly type: "base-url";
  readonly name: string;
  readonly api: Api;
  /** What the agent expects behind the origin: "/v1" where it adds only `/chat/completions`. */
  readonly path: string;
}

export interface JsonTemplate {
  readonly [key: string]: string | JsonTemplate;
}
