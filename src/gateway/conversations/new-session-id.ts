import type { Store } from "../../core/ports/store.ts";
import { beginningId } from "./fingerprints.ts";
import type { Heard } from "./heard.ts";
import { branchId } from "./scope.ts";

export interface NewSessionPorts {
  readonly store: Store;
  /** The sessions that are known not to be the one. */
  readonly tried: ReadonlySet<string>;
}

export type NewSessionId = { readonly type: "free" | "taken"; readonly id: string };

/**
 * The id of a new session; that of the scope itself where it has none yet. It follows from what was said up to where the conversation
 * parts from others, so that every gateway chooses the same. One that is taken, and was not looked at, is given too: another gateway
 * may have made it for this very request, a moment ago.
 */
export async function newSessionId(heard: Heard, shared: number, ports: NewSessionPorts): Promise<NewSessionId> {
  const ids = wantedIds(heard, shared);
  for (;;) {
    const id = ids.next().value;
    const stored = await ports.store.find(id);
    if (stored === undefined || stored.version === 0) return { type: "free", id };
    if (!ports.tried.has(id)) return { type: "taken", id };
  }
}

function* wantedIds({ scope, fingerprints }: Heard, shared: number): Generator<string, never> {
  if (scope !== undefined) yield scope.id;
  for (let length = shared + 1; length <= fingerprints.length; length++) {
    yield branchId(scope, beginningId(fingerprints.slice(0, length)));
  }
  for (let again = 1; ; again++) yield branchId(scope, beginningId([...fingerprints, `again ${again}`]));
}
