import { PalimpsestError, type Session, type Store } from "../../src/index.ts";
import { engineOn, openStore } from "./open-store.ts";
import { COUNTER_ID, counterMessage, turnOf } from "./turns.ts";
import type { StorePlace } from "./writer-lines.ts";

export const KNOWN_ID = "known";

/** Log and view of a session at each of its versions, as bytes. */
export type KnownStates = ReadonlyMap<number, string>;

/** What someone finds who opens the session: something to look at, or a refusal. */
export type Finding =
  | { readonly type: "read"; readonly version: number; readonly bytes: string }
  | { readonly type: "refused"; readonly code: string; readonly reason: string };

/** Makes a session with folds, rewinds, an undo and updates. */
export async function makeKnownSession(store: Store): Promise<KnownStates> {
  const session = await engineOn(store).session(KNOWN_ID);
  const states = new Map<number, string>();
  const remember = async () => void states.set(await session.version(), await bytesOf(session));
  await session.append(counterMessage(0));
  for (let turn = 0; turn < 40; turn++) {
    await session.append(...turnOf("known", turn));
    await remember();
    await session.prepare();
    await remember();
    if (turn % 8 === 5) await session.update(COUNTER_ID, () => [counterMessage(turn)]);
    if (turn === 20) await session.rewind({ toMessage: turnOf("known", 17)[0]?.id ?? "", includeMessage: false });
    if (turn === 30) await session.rewind({ undo: true });
    await remember();
  }
  await session.condense();
  await remember();
  return states;
}

export async function bytesOf(session: Session): Promise<string> {
  return JSON.stringify([await session.log(), await session.view()]);
}

/** Opens the session anew and reads it, or does something else with it first. */
export async function findKnownSession(
  place: StorePlace,
  act: (session: Session) => Promise<unknown> = async () => undefined,
): Promise<Finding> {
  const store = openStore(place);
  try {
    const session = await engineOn(store).session(KNOWN_ID);
    await act(session);
    return { type: "read", version: await session.version(), bytes: await bytesOf(session) };
  } catch (error) {
    const code = error instanceof PalimpsestError ? error.code : "unexpected";
    return { type: "refused", code, reason: String(error) };
  } finally {
    await store.close();
  }
}
