/** Every way our own code can refuse to go on. */
export type PalimpsestErrorCode =
  | "invalid-argument"
  | "invalid-configuration"
  /** Something else listens where a server should. */
  | "address-in-use"
  | "invalid-message"
  | "unknown-fold"
  /** A file that no known agent writes. */
  | "unknown-format"
  /** What cannot be folded, system prompt and tools, leaves no room for the conversation. */
  | "cannot-fit"
  /** An optional package that a provider needs is not installed. */
  | "missing-package"
  /** A provider refused a request, or could not be reached. */
  | "model-failed"
  /** A provider reported a number of tokens that no tokenizer makes of the prompt. */
  | "implausible-usage"
  | "vocabulary-damaged"
  /** The database cannot be reached, is locked for too long, is read-only, or the disk is full. */
  | "store-failed"
  /** What the database holds is not what was written to it. */
  | "store-damaged"
  /** The database was made by a newer version of this package. */
  | "store-too-new"
  /** No session, message, version or checkpoint of that name. */
  | "not-found"
  /** Someone else holds the lock, or others kept writing until the last retry. */
  | "conflict"
  /** Files that may not be checkpointed, or git that is missing or failed. */
  | "checkpoint-failed"
  /** A file for a tool's output, or all those of a session, could not be written or deleted. */
  | "offload-failed";

/**
 * A broken contract, said so that the reader can mend it: `code` for programs, the message for people.
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
