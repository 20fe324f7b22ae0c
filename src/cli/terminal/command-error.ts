import { PalimpsestError } from "../../core/errors.ts";
import { fieldAt } from "../../core/json/read-json.ts";

/** Why a command ended: 1 it failed, 2 its command line makes no sense. */
type FailureCode = 1 | 2;

/** A command that cannot go on, said so that the person can mend it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: FailureCode;

  constructor(exitCode: FailureCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What a person is told of a failure; only faults of ours come with their trace. */
export function describeFailure(error: unknown): string {
  if (error instanceof PalimpsestError || error instanceof CommandError) return error.message;
  if (fieldAt(error, "code") === "ERR_UNKNOWN_BUILTIN_MODULE") {
    return `this command needs Node 22.13 or newer, and this is Node ${process.versions.node}. Update Node, then run it again.`;
  }
  return `unexpected failure\n${error instanceof Error ? error.stack : error}`;
}

/** The exit code of a command that failed. */
export function exitCodeOf(error: unknown): FailureCode {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof PalimpsestError && error.code === "invalid-argument" ? 2 : 1;
}
