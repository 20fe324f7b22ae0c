import { PalimpsestError } from "../core/errors.ts";

/** The part of an error that may be logged: its code or name. Its message could hold content of a request. */
export function nameOfError(error: unknown): string {
  if (error instanceof PalimpsestError) return error.code;
  if (!(error instanceof Error)) return typeof error;
  return "code" in error && typeof error.code === "string" ? `${error.name} ${error.code}` : error.name;
}
