import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "./json.ts";

/**
 * The protocols that the server speaks: `openai` is Chat Completions, `openai-responses` is the Responses API, `deepseek` is Chat
 * Completions with DeepSeek's own rules.
 */
export type ModelWire = "anthropic" | "openai" | "openai-responses" | "gemini" | "deepseek";

export interface ModelServerOptions {
  /** Longer prompts are refused as by the provider; one number for all models, or one for each. @default 200_000 */
  readonly contextWindow?: number | ((modelId: string) => number);
  /** Larger bodies are refused. @default 33_554_432, which is 32 MiB */
  readonly maxBodyBytes?: number;
  /**
   * Reports cached tokens as each provider would for the requests that came before, where a reply's usage sets none itself.
   * OpenAI and DeepSeek cache every prefix from 1,024 tokens on in steps of 128, Gemini every prefix from 1,024 tokens on, Anthropic
   * what is marked with `cache_control`, from 1,024 tokens on.
   * @default false
   */
  readonly promptCache?: boolean;
  /** Returns the reply to a valid request for which none is scripted. @default a fixed short text */
  readonly reply?: (request: ModelRequest) => ScriptedReply;
  /** The only key that is accepted. @default any key, or none */
  readonly apiKey?: string;
  /**
   * The only model ids that exist.
   * @default `claude-…`, `gemini-…` or `gemma-…`, `deepseek-…` on their own wires, and any name on OpenAI's, which local servers speak too
   */
  readonly models?: readonly string[];
}

/** A running server. Close it, or the process stays alive. */
export interface ModelServer {
  /** Base URLs in the form that the AI SDK's provider packages and OpenAI's client expect. */
  readonly baseUrls: Readonly<Record<ModelWire, string>>;
  /** The origin, for the official Anthropic and Google clients, which add the version themselves. */
  readonly url: string;
  /** Every request to one of the wires, also refused ones, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Queues replies for the next valid requests, in order; after them, `reply` answers again. Requests that count tokens use up none. */
  script(...replies: readonly ScriptedReply[]): void;
  /** Ends every connection, hanging ones too. */
  close(): Promise<void>;
}

export interface ModelRequest {
  readonly wire: ModelWire;
  /** The path of the URL, with the query. */
  readonly path: string;
  /** "compact" is OpenAI's request for a compacted window, which uses up no scripted reply. */
  readonly operation: "generate" | "count-tokens" | "compact";
  /** Empty where the request names none. */
  readonly modelId: string;
  readonly isStreaming: boolean;
  readonly headers: IncomingHttpHeaders;
  /** Empty where the body is no JSON object. */
  readonly body: JsonObject;
  /** The body as it came, decoded as UTF-8; empty where it was too large to be kept. */
  readonly rawBody: string;
  /** o200k tokens of all text in system prompt, tools and messages; images and other media count as 0. */
  readonly promptTokens: number;
  /** "fault" where the scripted reply is a failure. */
  readonly outcome: "answered" | "refused" | "fault";
  /** The error message to the client, where it was refused. */
  readonly refusal?: string;
  /** The use of the simulated cache; only with `promptCache`, for requests that got a reply or the beginning of one. */
  readonly cache?: PromptCacheUse;
}

/** How one request used the simulated cache, independent of its scripted usage. */
export interface PromptCacheUse {
  readonly readTokens: number;
  /** Only Anthropic counts them; elsewhere 0. */
  readonly writeTokens: number;
  /**
   * Whether a cached prefix was lost: the newest earlier request of the same conversation left more tokens in the cache than this one
   * read. Requests are of one conversation where wire, model and the user's first message are the same, and both or neither
   * declare tools. A request that is a prefix of the earlier one breaks nothing.
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
  /** A refusal as an event in a stream that has opened. `code` is OpenAI's name of the error. */
  | (ScriptedOpening & {
      readonly type: "late-error";
      readonly status: number;
      readonly message?: string;
      readonly code?: string;
    })
  /** Accepts the request and never answers. */
  | { readonly type: "hang" }
  /**
   * Sends the text and the calls, of the last call only a half, then nothing more; where the client does not stream, half of the
   * reply's bytes. Gemini sends calls whole: there, only the end is missing.
   */
  | (ScriptedHalf & { readonly type: "hang-mid-stream" })
  /** Sends as much as `hang-mid-stream`, then destroys the socket. */
  | (ScriptedHalf & { readonly type: "cut" })
  /** Sends as much as `hang-mid-stream`, then ends the HTTP response regularly, without the events that end a reply. */
  | (ScriptedHalf & { readonly type: "trail-off" })
  /** Status 200, and bytes that are not this protocol. */
  | { readonly type: "garbage" };

/** The delay of a reply's content. */
export interface ScriptedOpening {
  /** How long a stream is open before its content; it sends a keep-alive after half of the time. @default 0 */
  readonly opensForMs?: number;
}

/** The content of a reply before it fails. Without text and calls, a stream only opens. */
export interface ScriptedHalf extends ScriptedOpening {
  readonly text: string;
  readonly calls?: readonly ScriptedToolCall[];
}

/**
 * The model's reasoning before its reply. Anthropic signs it, and refuses it where it is sent back with another text; the Responses
 * API sends it as a summary, and also encrypted where the request asks for that.
 */
export interface ScriptedThought {
  readonly reasoning?: string;
  /** Redacted thinking, which only Anthropic sends, after `reasoning`. */
  readonly redactedReasoning?: string;
}

export interface ScriptedToolCall {
  /** Gemini before version 3 has no ids: there it is not sent. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /**
   * Streamed as the arguments in place of `input`, whether it is JSON or not. For a custom tool of the Responses API, it is the
   * input, which is any text; without it, the input is `input.input` where that is a string, else `input` as JSON. Gemini parses the arguments
   * itself: there, the reply ends with MALFORMED_FUNCTION_CALL, and has no calls.
   */
  readonly rawInput?: string;
}

/** The usage that a reply reports, in the form of its wire. */
export interface ScriptedUsage {
  /** Neither read from nor written to a cache. @default the request's `promptTokens` less the cached ones */
  readonly inputTokens?: number;
  /** Reasoning included. @default the reply's own count */
  readonly outputTokens?: number;
  /** @default what `promptCache` found, where neither this nor `cacheWriteTokens` is set; else 0 */
  readonly cacheReadTokens?: number;
  /** Gemini and DeepSeek do not report them: there, they are part of the uncached input. @default as `cacheReadTokens` */
  readonly cacheWriteTokens?: number;
}
