import { PalimpsestError } from "../../core/errors.ts";
import { fieldAt } from "../../core/json/read-json.ts";

/** The exit code of a failure: 1 if the command failed, 2 if its command line is wrong. */
type FailureCode = 1 | 2;

/** An expected failure of a command. Its message tells the person how to fix it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: FailureCode;

  constructor(exitCode: FailureCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The message for a failure. Only unexpected errors are shown with their stack trace. */
export function describeFailure(error: unknown): string {
  if (error instanceof PalimpsestError || error instanceof CommandError) return error.message;
  if (fieldAt(error, "code") === "ERR_UNKNOWN_BUILTIN_MODULE") {
    return `this command needs SQLite, and this Node ${process.versions.node} was built without it. Install one that has it, such as those of nodejs.org.`;
  }
  return `unexpected failure\n${error instanceof Error ? error.stack : error}`;
}

/** The exit code of a command that failed. */
export function exitCodeOf(error: unknown): FailureCode {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof PalimpsestError && error.code === "invalid-argument" ? 2 : 1;
}
