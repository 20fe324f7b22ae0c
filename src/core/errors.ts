/** Every way our own code can refuse to go on. */
export type PalimpsestErrorCode = "invalid-argument" | "invalid-message" | "unknown-fold" | "vocabulary-damaged";

/** A broken contract, said so that the reader can mend it: `code` for programs, the message for people. */
export class PalimpsestError extends Error {
  override readonly name = "PalimpsestError";
  readonly code: PalimpsestErrorCode;

  constructor(code: PalimpsestErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
