import type { Upstreams } from "../../gateway/gateway.ts";
import type { Environment } from "../terminal/output.ts";

/** The provider at whose servers an API usually is. */
export type Api = "anthropic" | "openai" | "gemini";

/** An agent that people run, and how it is pointed at another base URL. */
export interface Agent {
  readonly title: string;
  /** The names of its program. */
  readonly programs: readonly string[];
  /** The names of its package, for `npx` and the like. */
  readonly packages: readonly string[];
  readonly ways: readonly Way[];
  /** The ways to give it the gateway's MCP server for one run; undefined if it only reads MCP servers from a person's own files. */
  readonly recallWays?: readonly Way[];
  /** Whether the gateway adds the recall tool to its requests in a run, because it cannot be given the MCP server. @default false */
  readonly recallsInGateway?: boolean;
  /** The default upstreams of its requests. @default those of the APIs */
  readonly upstreams?: Upstreams;
}

/** One way to point an agent at the gateway; `{url}` stands for the gateway's URL. */
export type Way = (
  | BaseUrlVariable
  /** JSON in a variable, merged into the JSON that the variable holds already. */
  | { readonly type: "json-variable"; readonly name: string; readonly value: JsonTemplate }
  /** Arguments right after the name of the program. `{base}` stands for the base URL that the variable in `base` would get, which is not set. */
  | { readonly type: "arguments"; readonly values: readonly string[]; readonly base?: BaseUrlVariable }
  /** A file for this run alone, named by an option right after the program's name. An option that ends with "=" or "=@" is one word with the path. */
  | { readonly type: "file"; readonly option: string; readonly fileName: string; readonly content: string }
  /** A file for this run alone, named by a variable, unless the variable is set already. */
  | { readonly type: "file-variable"; readonly name: string; readonly fileName: string; readonly content: string }
  /** A note that tells the person what to know, or to do. */
  | { readonly type: "note"; readonly text: string }
) & {
  /** Whether the way applies in this environment. @default always */
  readonly applies?: (environment: Environment) => boolean;
};

/** A variable that holds a base URL. The URL that it held before becomes the upstream. */
export interface BaseUrlVariable {
  readonly type: "base-url";
  readonly name: string;
  readonly api: Api;
  /** The path that the agent expects in the URL: "/v1" if it only adds `/chat/completions`. */
  readonly path: string;
}

export interface JsonTemplate {
  readonly [key: string]: string | JsonTemplate;
}
