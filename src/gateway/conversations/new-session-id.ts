import type { Store } from "../../core/ports/store.ts";
import { beginningId } from "./fingerprints.ts";
import type { Heard } from "./heard.ts";
import { branchId } from "./scope.ts";

/**
 * The id of a new session; that of the scope itself where it has none yet. It follows from what was said up to where the conversation
 * parts from others, so that every gateway chooses the same.
 */
export async function newSessionId(heard: Heard, shared: number, store: Store): Promise<string> {
  const { scope, fingerprints } = heard;
  if (scope !== undefined && (await isFree(scope.id, store))) return scope.id;
  for (let length = shared + 1; length <= fingerprints.length; length++) {
    const id = branchId(scope, beginningId(fingerprints.slice(0, length)));
    if (await isFree(id, store)) return id;
  }
  for (let again = 1; ; again++) {
    const id = branchId(scope, beginningId([...fingerprints, `again ${again}`]));
    if (await isFree(id, store)) return id;
  }
}

async function isFree(id: string, store: Store): Promise<boolean> {
  const stored = await store.find(id);
  return stored === undefined || stored.version === 0;
}
