import type { ModelRegistry } from "../../core/models/registry.ts";

/** The model of a handler, and how to reach it. */
export interface ModelHandlerOptions {
  /**
   * `provider/model`. The providers are `anthropic`, `openai`, `google`, `deepseek`, `openai-compatible` (with `baseUrl`) and
   * the local servers `ollama`, `lmstudio` and `vllm`.
   */
  readonly model: string;
  /** @default the provider's variable in `environment`, such as ANTHROPIC_API_KEY */
  readonly apiKey?: string | undefined;
  /** The base URL of the API, with its version: `https://proxy.example/v1`. @default the provider's own address */
  readonly baseUrl?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The environment variables in which keys are looked up. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** How often a request is retried that failed before its reply began. @default 2 */
  readonly maxRetries?: number | undefined;
  /** The delay before the first retry; it doubles with each. A provider's `retry-after` takes precedence. @default 500 */
  readonly retryDelayMs?: number | undefined;
  /** Windows, limits and prices. @default the built-in models */
  readonly registry?: ModelRegistry | undefined;
  /** @default the platform's fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}
