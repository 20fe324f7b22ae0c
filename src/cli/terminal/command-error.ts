/** Why a command ended: 1 it failed, 2 its command line makes no sense. */
export type FailureCode = 1 | 2;

/** A command that cannot go on, said so that the person can mend it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: FailureCode;

  constructor(exitCode: FailureCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
