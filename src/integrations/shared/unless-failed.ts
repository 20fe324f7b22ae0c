import { PalimpsestError } from "../../core/errors.ts";

export interface FailureOptions {
  /** Called with what failed inside of us. */
  readonly onError: (error: unknown) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What only whoever wrote the program can mend. */
const MISUSE: ReadonlySet<string> = new Set(["cannot-fit", "invalid-configuration", "missing-package"]);

/**
 * What an operation of ours gives; undefined where it fails, which is told and fails nothing else. Thrown is only what no other request could
 * change: that nothing fits, a package or a setting that is missing, and that the caller has given up.
 */
export async function unlessFailed<Value>(
  operation: () => Promise<Value>,
  { onError, signal }: FailureOptions,
): Promise<Value | undefined> {
  try {
    return await operation();
  } catch (error) {
    const isMisuse = error instanceof PalimpsestError && MISUSE.has(error.code);
    if (isMisuse || signal?.aborted === true) throw error;
    onError(error);
    return undefined;
  }
}
