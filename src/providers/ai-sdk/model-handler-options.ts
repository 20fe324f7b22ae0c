import type { ModelRegistry } from "../../core/models/registry.ts";

/** Which model to ask, and how. */
export interface ModelHandlerOptions {
  /**
   * `provider/model`. The providers are `anthropic`, `openai`, `google`, `deepseek`, `openai-compatible` (with `baseUrl`) and
   * the local servers `ollama`, `lmstudio` and `vllm`.
   */
  readonly model: string;
  /** @default the provider's variable in `environment`, such as ANTHROPIC_API_KEY */
  readonly apiKey?: string | undefined;
  /** Where the API is, with its version: `https://proxy.example/v1`. @default the provider's own address */
  readonly baseUrl?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Where keys are looked up, and nothing else. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** How often a request that failed before its reply began is made again. @default 2 */
  readonly maxRetries?: number | undefined;
  /** The wait before the first retry; it doubles with each. A provider's `retry-after` wins. @default 500 */
  readonly retryDelayMs?: number | undefined;
  /** Windows, limits and prices. @default the built-in models */
  readonly registry?: ModelRegistry | undefined;
  /** @default the platform's fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}
