import { PalimpsestError } from "../../core/errors.ts";

/** `model-failed`: a model that could not be asked, or whose reply broke off. Says what the provider said. */
export class ModelError extends PalimpsestError {
  /** The HTTP status of the provider's refusal; undefined where there was no answer, or the reply broke off. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super("model-failed", message);
    this.status = status;
  }
}
