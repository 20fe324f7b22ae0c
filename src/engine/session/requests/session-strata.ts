import { createStrata, type Strata, type StrataStep } from "../../../core/strata/build-strata.ts";
import type { PathStep } from "../../../core/strata/strata-log.ts";
import type { Session, SessionHistory } from "../session.ts";
import { createQueue } from "../session-context.ts";

interface Followed {
  strata: Strata;
  version: number;
  /** The newest record that rewrote the log, and the version that the newest request was shown at. */
  rewriteVersion: number;
  requestVersion: number;
  readonly enqueue: ReturnType<typeof createQueue>;
}

/** One for each session that is open: what was read once is not read again. */
const followed = new WeakMap<SessionHistory, Followed>();

/** So many records at once: whoever else waits for this process gets a turn in between. */
const RECORDS_AT_ONCE = 1_000;

/** What each request of a session showed of each message, as it is now. */
export async function strataOf(session: Pick<Session, "history">): Promise<Strata> {
  const history = await session.history();
  const known = followed.get(history) ?? { ...nothing(), enqueue: createQueue() };
  followed.set(history, known);
  await known.enqueue(() => follow(known, history));
  return known.strata;
}

function nothing(): Omit<Followed, "enqueue"> {
  return { strata: createStrata(), version: 0, rewriteVersion: 0, requestVersion: 0 };
}

/** A request shows the log as it was at its version: its record may be written later, after a fold for the next one. */
async function follow(known: Followed, history: SessionHistory): Promise<void> {
  const end = history.version();
  let due = requestsIn(history, known, end);
  if (due.some(({ at }) => at < known.rewriteVersion)) {
    Object.assign(known, nothing());
    due = requestsIn(history, known, end);
  }
  let next = 0;
  const showDue = () => {
    for (let request = due[next]; request !== undefined && request.at <= known.version; request = due[++next]) {
      known.strata.take(request.step, known.version);
      known.requestVersion = request.at;
    }
  };
  showDue();
  while (known.version < end) {
    known.version++;
    const step = stepAt(history, known.version);
    if (step.type === "patch" || step.type === "rewind") known.rewriteVersion = known.version;
    known.strata.take(step, known.version);
    showDue();
    if (known.version % RECORDS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
  }
}

interface DueRequest {
  /** The version that it is shown at: never one before that of an earlier request. */
  readonly at: number;
  readonly step: StrataStep;
}

function requestsIn(history: SessionHistory, known: Followed, end: number): readonly DueRequest[] {
  const due: DueRequest[] = [];
  let at = known.requestVersion;
  for (let version = known.version + 1; version <= end; version++) {
    const record = history.record(version);
    if (record?.type !== "event" || record.event.type !== "request") continue;
    at = Math.max(at, Math.min(record.event.version, version));
    due.push({ at, step: { type: "request", request: record.event } });
  }
  return due;
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
      // Requests are shown at their own versions.
      return { type: "other" };
  }
}

function pathTo(history: SessionHistory, version: number): readonly PathStep[] {
  return history.pathTo(version).flatMap(({ version: at, record }): readonly PathStep[] => {
    if (record.type === "message") return [{ type: "message", version: at }];
    return record.type === "patch" ? [{ type: "patch", version: at, patch: record.patch }] : [];
  });
}
