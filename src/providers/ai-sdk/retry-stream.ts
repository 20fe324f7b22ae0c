import { setTimeout as sleep } from "node:timers/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { TooLong } from "../../core/policy/too-long.ts";
import { describeFailure, type Failure } from "./describe-failure.ts";

interface RetryOptions {
  readonly maxRetries: number;
  readonly retryDelayMs: number;
  readonly signal: AbortSignal | undefined;
  /** Names the model in errors. */
  readonly modelName: string;
  /** Never to be seen in errors. */
  readonly secrets: readonly string[];
}

/** Streams what `ask` streams. Asks again after a passing failure, as long as nothing has been handed out. */
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

/** Longest wait that a provider may ask for. Who asks for more is not asked again at all: an earlier retry would fail too. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** How long to wait before the next attempt; undefined where there must be none. */
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

// shorter texts are no secrets, and would tear other words apart
const SHORTEST_SECRET = 8;

// Some providers quote the key that they refuse.
function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((redacted, secret) => redacted.replaceAll(secret, "[redacted]"), text);
}

/** What a failed request tells besides its words. */
export interface ModelErrorDetails {
  /** The HTTP status of the provider's refusal; undefined where there was no answer, or the reply broke off. */
  readonly status?: number | undefined;
  /** The same request may succeed later. @default false */
  readonly isTransient?: boolean;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Whether a shorter prompt would have been accepted. @default not */
  readonly tooLong?: TooLong;
}

/**
 * `model-failed`: a model that could not be asked, or whose reply broke off. Says what the provider said, without keys.
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
