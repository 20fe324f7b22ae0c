import { engineOn, openStore } from "./open-store.ts";
import { counterMessage } from "./turns.ts";
import type { StorePlace } from "./writer-lines.ts";

/** Makes the sessions that several writers share: two who begin one at the same moment would both give it a counter. */
export async function beginSessions(place: StorePlace, ids: readonly string[]): Promise<void> {
  const store = openStore(place);
  const engine = engineOn(store);
  for (const id of ids) await (await engine.session(id)).append(counterMessage(0));
  await store.close();
}
