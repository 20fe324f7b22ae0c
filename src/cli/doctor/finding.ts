import { describeError } from "../../core/describe-error.ts";

/** The result of one check of `palimpsest doctor`. */
export interface Finding {
  readonly check: string;
  /** A fault keeps a command from its work; a note is what a person may want to know or change. */
  readonly result: "ok" | "note" | "fault";
  /** What was found and, unless it is ok, what to do. */
  readonly text: string;
}

/** The finding for something that failed. */
export function failed(check: string, error: unknown, result: "note" | "fault" = "fault"): Finding {
  return { check, result, text: describeError(error) };
}
