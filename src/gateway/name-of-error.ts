import { PalimpsestError } from "../core/errors.ts";

/** What may be logged of any error: its message could hold someone's content. */
export function nameOfError(error: unknown): string {
  if (error instanceof PalimpsestError) return error.code;
  if (!(error instanceof Error)) return typeof error;
  return "code" in error && typeof error.code === "string" ? `${error.name} ${error.code}` : error.name;
}
