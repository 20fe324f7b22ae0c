import { PalimpsestError } from "../../core/errors.ts";
import type { TooLong } from "../../core/policy/too-long.ts";

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
