import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "./json.ts";

/**
 * The protocols that the server speaks: `openai` is Chat Completions, `openai-responses` is the Responses API, `deepseek` is Chat
 * Completions with DeepSeek's own rules.
 */
export type ModelWire = "anthropic" | "openai" | "openai-responses" | "gemini" | "deepseek";

export interface ModelServerOptions {
  /** Prompts above it are refused as the provider would; one number for all models, or one for each. @default 200_000 */
  readonly contextWindow?: number | ((modelId: string) => number);
  /** Bodies above it are refused by their size. @default 33_554_432, which is 32 MiB */
  readonly maxBodyBytes?: number;
  /**
   * Reports cached tokens as each provider would for the requests that came before, where a reply's usage sets none itself.
   * OpenAI and DeepSeek cache every prefix from 1,024 tokens on in steps of 128, Gemini every prefix from 1,024 tokens on, Anthropic
   * what is marked with `cache_control`, from 1,024 tokens on.
   * @default false
   */
  readonly promptCache?: boolean;
  /** What to answer, asked once per valid request that no script answers. @default a fixed short text */
  readonly reply?: (request: ModelRequest) => ScriptedReply;
  /** Demands this key. @default any key, or none, will do */
  readonly apiKey?: string;
  /**
   * The only model ids that exist.
   * @default `claude-…`, `gemini-…` or `gemma-…`, `deepseek-…` on their own wires, and any name on OpenAI's, which local servers speak too
   */
  readonly models?: readonly string[];
}

/** A running server. Close it, or the process stays alive. */
export interface ModelServer {
  /** Base URLs as the AI SDK's provider packages and OpenAI's client expect them. */
  readonly baseUrls: Readonly<Record<ModelWire, string>>;
  /** The origin, for the official Anthropic and Google clients, which add the version themselves. */
  readonly url: string;
  /** Every request to one of the wires, also refused ones, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Answers for the next valid requests, in order; after them, `reply` again. Counting tokens uses up none. */
  script(...replies: readonly ScriptedReply[]): void;
  /** Ends every connection, hanging ones too. */
  close(): Promise<void>;
}

export interface ModelRequest {
  readonly wire: ModelWire;
  /** Of the URL, with the query. */
  readonly path: string;
  /** "compact" is OpenAI's request for a compacted window, which no script answers. */
  readonly operation: "generate" | "count-tokens" | "compact";
  /** Empty where the request names none. */
  readonly modelId: string;
  readonly isStreaming: boolean;
  readonly headers: IncomingHttpHeaders;
  /** Empty where the body is no JSON object. */
  readonly body: JsonObject;
  /** The body as it came, decoded as UTF-8; empty where it was too large to be kept. */
  readonly rawBody: string;
  /** o200k tokens of all text in system prompt, tools and messages; images and other media count nothing. */
  readonly promptTokens: number;
  /** "fault" where the script says that something goes wrong. */
  readonly outcome: "answered" | "refused" | "fault";
  /** Why it was refused, as the client was told. */
  readonly refusal?: string;
  /** What the simulated cache found; only with `promptCache`, for requests that got a reply or the beginning of one. */
  readonly cache?: PromptCacheUse;
}

/** What the simulated cache found for one request, whatever its scripted usage says. */
export interface PromptCacheUse {
  readonly readTokens: number;
  /** Only Anthropic counts them; elsewhere 0. */
  readonly writeTokens: number;
  /**
   * Whether a cached prefix was lost: the newest earlier request of the same conversation left more tokens in the cache than this one
   * read. Requests are of one conversation where wire, model and the user's first message are the same, and both or neither
   * declare tools. A request that is nothing but a beginning of the earlier one breaks nothing.
   */
  readonly isBreak: boolean;
}

/** One answer of the server, or one way to fail. */
export type ScriptedReply =
  | (ScriptedThought &
      ScriptedOpening & { readonly type: "text"; readonly text: string; readonly usage?: ScriptedUsage })
  | (ScriptedThought &
      ScriptedOpening & {
        readonly type: "tool-calls";
        readonly calls: readonly ScriptedToolCall[];
        readonly text?: string;
        readonly usage?: ScriptedUsage;
      })
  /** A refusal in the provider's own error shape. */
  | { readonly type: "error"; readonly status: number; readonly message?: string; readonly retryAfterSeconds?: number }
  /** The same, but a stream opens first and tells it as an event. `code` is what OpenAI names an error by. */
  | (ScriptedOpening & {
      readonly type: "late-error";
      readonly status: number;
      readonly message?: string;
      readonly code?: string;
    })
  /** Takes the request and never answers. */
  | { readonly type: "hang" }
  /**
   * Sends the text and the calls, the last call only by half, then stays silent; where the client does not stream, half of the
   * reply's bytes. Gemini sends calls whole: there only the end is missing.
   */
  | (ScriptedHalf & { readonly type: "hang-mid-stream" })
  /** The same, then the socket is destroyed. */
  | (ScriptedHalf & { readonly type: "cut" })
  /** The same, then the stream ends as if it were whole: what is missing is only that the reply says so. */
  | (ScriptedHalf & { readonly type: "trail-off" })
  /** Status 200, and bytes that are not this protocol. */
  | { readonly type: "garbage" };

/** How long a reply waits before it says anything. */
export interface ScriptedOpening {
  /** Meanwhile a stream has opened, and shows a sign of life after half of the time. @default 0 */
  readonly opensForMs?: number;
}

/** What is said before something goes wrong. Without text and calls, a stream only opens. */
export interface ScriptedHalf extends ScriptedOpening {
  readonly text: string;
  readonly calls?: readonly ScriptedToolCall[];
}

/**
 * What the model thinks before it speaks. Anthropic signs it, and refuses it where it comes back with another text; the Responses
 * API sends it as a summary, and sealed where the request asks for that.
 */
export interface ScriptedThought {
  readonly reasoning?: string;
  /** Sealed thoughts, which only Anthropic sends; they come after `reasoning`. */
  readonly redactedReasoning?: string;
}

export interface ScriptedToolCall {
  /** Gemini before version 3 has no ids: there it is not sent. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /**
   * Streamed as the arguments in place of `input`, whether it is JSON or not. It is the input of a custom tool of the Responses
   * API, which is any text; without it that is `input.input` where it is a string, else `input` as JSON. Gemini reads the arguments itself: there the
   * reply ends with MALFORMED_FUNCTION_CALL, and without calls.
   */
  readonly rawInput?: string;
}

/** What the reply reports as used; each wire adds it up its own way. */
export interface ScriptedUsage {
  /** Neither read from nor written to a cache. @default the request's `promptTokens` less the cached ones */
  readonly inputTokens?: number;
  /** Reasoning included. @default the reply's own count */
  readonly outputTokens?: number;
  /** @default what `promptCache` found, where neither this nor `cacheWriteTokens` is set; else 0 */
  readonly cacheReadTokens?: number;
  /** Gemini and DeepSeek report none: there they are part of the uncached input. @default as `cacheReadTokens` */
  readonly cacheWriteTokens?: number;
}
