/** The code of a {@link PalimpsestError}. */
export type PalimpsestErrorCode =
  | "invalid-argument"
  | "invalid-configuration"
  /** Another process listens on the address of a server. */
  | "address-in-use"
  | "invalid-message"
  | "unknown-fold"
  /** A file that no known agent writes. */
  | "unknown-format"
  /** System prompt and tools, which cannot be folded, leave no room for the conversation. */
  | "cannot-fit"
  /** An optional package that a provider needs is not installed. */
  | "missing-package"
  /** A provider refused a request, or could not be reached. */
  | "model-failed"
  /** A provider reported a token count that no tokenizer can have made of the prompt. */
  | "implausible-usage"
  | "vocabulary-damaged"
  /** The database cannot be reached, is locked for too long, is read-only, or the disk is full. */
  | "store-failed"
  /** The content of the database is not what was written to it. */
  | "store-damaged"
  /** The database was made by a newer version of this package. */
  | "store-too-new"
  /** No session, message, version or checkpoint of that name. */
  | "not-found"
  /** Another process holds the lock, or other writers were first at every retry. */
  | "conflict"
  /** Files that may not be checkpointed, or git that is missing or failed. */
  | "checkpoint-failed"
  /** A file for a tool's output, or all those of a session, could not be written or deleted. */
  | "offload-failed";

/**
 * Thrown when a contract is broken: `code` is for programs, the message tells people how to fix it.
 * @example
 * ```ts
 * import { checkMessages, PalimpsestError } from "palimpsest";
 * try {
 *   checkMessages([{ role: "robot", content: "beep" }]);
 * } catch (error) {
 *   console.log(error instanceof PalimpsestError && error.code); // invalid-message
 * }
 * ```
 */
export class PalimpsestError extends Error {
  override readonly name = "PalimpsestError";
  readonly code: PalimpsestErrorCode;

  constructor(code: PalimpsestErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
