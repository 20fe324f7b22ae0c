import { setTimeout as sleep } from "node:timers/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { TooLong } from "../../core/policy/too-long.ts";
import { describeFailure, type Failure } from "./describe-failure.ts";

interface RetryOptions {
  readonly maxRetries: number;
  readonly retryDelayMs: number;
  readonly signal: AbortSignal | undefined;
  /** The model's name in error messages. */
  readonly modelName: string;
  /** Texts that are redacted in error messages. */
  readonly secrets: readonly string[];
}

/** Streams the chunks of `ask`. Calls it again after a transient failure, as long as no chunk was yielded. */
export async function* retryStream<Chunk>(
  ask: () => AsyncIterable<Chunk>,
  options: RetryOptions,
): AsyncGenerator<Chunk> {
  for (let attempt = 0; ; attempt++) {
    let hasBegun = false;
    let delayMs: number | undefined;
    try {
      for await (const chunk of ask()) {
        hasBegun = true;
        yield chunk;
      }
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      const failure = describeFailure(error);
      delayMs = hasBegun ? undefined : planRetry(failure, { ...options, attempt });
      if (delayMs === undefined) throw modelError(failure, attempt, options);
    }
    await wait(delayMs, options.signal);
  }
}

/** The longest delay that a provider may ask for. Where it asks for more there is no retry, because an earlier one would fail, too. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** The delay before the next attempt; undefined where there must be none. */
export function planRetry(
  { isTransient, retryAfterMs }: Pick<Failure, "isTransient" | "retryAfterMs">,
  {
    attempt,
    maxRetries,
    retryDelayMs,
  }: Pick<RetryOptions, "maxRetries" | "retryDelayMs"> & { readonly attempt: number },
): number | undefined {
  if (!isTransient || attempt >= maxRetries) return undefined;
  if (retryAfterMs === undefined) return retryDelayMs * 2 ** attempt;
  return retryAfterMs <= LONGEST_RETRY_AFTER_MS ? retryAfterMs : undefined;
}

async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(delayMs, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function modelError(failure: Failure, attempt: number, { modelName, secrets }: RetryOptions): ModelError {
  const { message, status } = failure;
  const answered = status === undefined ? "failed" : `answered ${status}`;
  const attempts = attempt === 0 ? "" : ` (${attempt + 1} attempts)`;
  return new ModelError(redact(`${modelName} ${answered}${attempts}: ${message}`, secrets), failure);
}

// shorter texts are no secrets, and replacing them would garble the message
const SHORTEST_SECRET = 8;

// Some providers quote a refused key in their message.
function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((redacted, secret) => redacted.replaceAll(secret, "[redacted]"), text);
}

/** The fields of a {@link ModelError} besides its message. */
export interface ModelErrorDetails {
  /** The HTTP status of the provider's refusal; undefined where there was no answer, or the reply broke off. */
  readonly status?: number | undefined;
  /** Whether the same request may succeed later. @default false */
  readonly isTransient?: boolean;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the prompt was too long, and by how much. @default it was not */
  readonly tooLong?: TooLong;
}

/**
 * The error `model-failed`: a request failed, or its reply broke off. The message is the provider's, with keys redacted.
 * @example
 * ```ts
 * import { ModelError } from "palimpsest/providers";
 * const error = new ModelError("Overloaded.", { status: 529, isTransient: true });
 * console.log(error.code, error.status, error.isTransient); // model-failed 529 true
 * ```
 */
export class ModelError extends PalimpsestError implements ModelErrorDetails {
  readonly status: number | undefined;
  readonly isTransient: boolean;
  readonly retryAfterMs: number | undefined;
  readonly tooLong: TooLong;

  constructor(message: string, details: ModelErrorDetails = {}) {
    super("model-failed", message);
    this.status = details.status;
    this.isTransient = details.isTransient ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.tooLong = details.tooLong ?? { isTooLong: false };
  }
}
