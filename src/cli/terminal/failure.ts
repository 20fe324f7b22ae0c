import { PalimpsestError } from "../../core/errors.ts";
import { CommandError, type FailureCode } from "./command-error.ts";

/** What a person is told of a failure; only faults of ours come with their trace. */
export function describeFailure(error: unknown): string {
  if (error instanceof PalimpsestError || error instanceof CommandError) return error.message;
  return `unexpected failure\n${error instanceof Error ? error.stack : error}`;
}

/** The exit code of a command that failed. */
export function exitCodeOf(error: unknown): FailureCode {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof PalimpsestError && error.code === "invalid-argument" ? 2 : 1;
}
