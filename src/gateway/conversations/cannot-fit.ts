import { PalimpsestError } from "../../core/errors.ts";

/** Whether system prompt and tools alone are too long. */
export function isCannotFit(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "cannot-fit";
}

/** Then there is nothing to shorten: the upstream says so itself. */
export function unlessNothingFits(error: unknown): undefined {
  if (!isCannotFit(error)) throw error;
}
