import { PalimpsestError } from "../../core/errors.ts";
import { unlessNothingFits } from "./cannot-fit.ts";
import type { Carried } from "./carry.ts";
import { type Asked, foldOnce, type ScratchPorts } from "./fold-turn.ts";
import type { Heard } from "./heard.ts";

export interface FallbackPorts extends ScratchPorts {
  /** Told what failed, never what was said. */
  readonly incident: (what: string, error: unknown) => void;
}

/** Whether the store could not be used: folding itself did not fail. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "store-failed";
}

/**
 * Folds a request for which its session failed: for itself, where only the store failed; by truncation alone, where folding did. Undefined
 * where that fails too, or nothing would fit.
 */
export async function foldInSpite(
  error: unknown,
  heard: Heard,
  ports: Asked & FallbackPorts,
): Promise<Carried | undefined> {
  try {
    if (isStoreFailure(error)) return await foldOnce(heard, ports, ports).catch(unlessNothingFits);
  } catch (thrown) {
    ports.incident("fold", thrown);
  }
  const scratch = ports.truncator();
  if (scratch === undefined) return undefined;
  try {
    return await foldOnce(heard, { ...ports, scratch }, ports).catch(unlessNothingFits);
  } catch (thrown) {
    ports.incident("truncate", thrown);
    return undefined;
  }
}
