import { createStrata, type Strata, type StrataStep } from "../../../core/strata/build-strata.ts";
import type { PathStep } from "../../../core/strata/strata-log.ts";
import type { Session, SessionHistory } from "../session.ts";

interface Followed {
  readonly strata: Strata;
  version: number;
}

/** One for each session that is open: what was read once is not read again. */
const followed = new WeakMap<SessionHistory, Followed>();

/** So many records at once: whoever else waits for this process gets a turn in between. */
const RECORDS_AT_ONCE = 1_000;

/** What each request of a session showed of each message, as it is now. */
export async function strataOf(session: Pick<Session, "history">): Promise<Strata> {
  const history = await session.history();
  const known = followed.get(history) ?? { strata: createStrata(), version: 0 };
  followed.set(history, known);
  while (known.version < history.version()) {
    known.version++;
    known.strata.take(stepAt(history, known.version), known.version);
    if (known.version % RECORDS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  return known.strata;
}

function stepAt(history: SessionHistory, version: number): StrataStep {
  const record = history.record(version);
  switch (record?.type) {
    case undefined:
      return { type: "other" };
    case "message":
      return { type: "message", message: record.message };
    case "patch":
      return { type: "patch", patch: record.patch };
    case "rewind":
      return { type: "rewind", path: pathTo(history, version) };
    case "event":
      return record.event.type === "request" ? { type: "request", request: record.event } : { type: "other" };
  }
}

function pathTo(history: SessionHistory, version: number): readonly PathStep[] {
  return history.pathTo(version).flatMap(({ version: at, record }): readonly PathStep[] => {
    if (record.type === "message") return [{ type: "message", version: at }];
    return record.type === "patch" ? [{ type: "patch", version: at, patch: record.patch }] : [];
  });
}
