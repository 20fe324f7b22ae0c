import type { LogRecord } from "../../src/engine/session/journal/log-record.ts";
import type { Message } from "../../src/index.ts";
import { engineOn, openStore } from "./open-store.ts";
import type { StorePlace } from "./writer-lines.ts";

/** A session as one finds it who opens it: what is stored, and what the engine makes of it. */
export interface FoundSession {
  readonly id: string;
  /** What `session.version()` says. */
  readonly version: number;
  readonly records: readonly LogRecord[];
  /** The store's own numbers of the records. */
  readonly recordVersions: readonly number[];
  readonly log: readonly Message[];
  readonly view: readonly Message[];
}

/** Opens the sessions with a new store and a new engine, reads them, and closes all of it. */
export async function readSessions(place: StorePlace, ids: readonly string[]): Promise<readonly FoundSession[]> {
  const store = openStore(place);
  try {
    const engine = engineOn(store);
    const found: FoundSession[] = [];
    for (const id of ids) {
      const session = await engine.session(id);
      const rows = await store.read((await store.open(id)).key);
      const parsed = rows.map(({ body }): LogRecord => JSON.parse(body));
      found.push({
        id,
        version: await session.version(),
        records: parsed,
        recordVersions: rows.map(({ version }) => version),
        log: await session.log(),
        view: await session.view(),
      });
    }
    return found;
  } finally {
    await store.close();
  }
}
