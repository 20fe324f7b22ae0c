import { createStrata, type Strata, type StrataStep } from "../../../core/strata/build-strata.ts";
import type { PathStep } from "../../../core/strata/strata-log.ts";
import { createQueue, type Enqueue } from "../../queue.ts";
import type { Session, SessionHistory } from "../session.ts";

interface Followed {
  strata: Strata;
  version: number;
  /** The newest record that rewrote the log, and the version that the newest request was shown at. */
  rewriteVersion: number;
  requestVersion: number;
  readonly enqueue: Enqueue;
}

/** The strata of each open session as far as its records were read, so that no record is read twice. */
const followed = new WeakMap<SessionHistory, Followed>();

/** How many records are read before the process handles other work. */
const RECORDS_AT_ONCE = 1_000;

/** What each request of a session, up to now, showed of each message. */
export async function strataOf(session: Pick<Session, "history">): Promise<Strata> {
  const history = await session.history();
  const progress = followed.get(history) ?? { ...nothing(), enqueue: createQueue() };
  followed.set(history, progress);
  await progress.enqueue(() => follow(progress, history));
  return progress.strata;
}

function nothing(): Omit<Followed, "enqueue"> {
  return { strata: createStrata(), version: 0, rewriteVersion: 0, requestVersion: 0 };
}

/**
 * Reads the records that are new. A request is placed at its own version, whose log it showed: its record may be written later, after a fold for the
 * next request. Where a new request lies before a rewrite that was read already, all records are read again.
 */
async function follow(progress: Followed, history: SessionHistory): Promise<void> {
  const end = history.version();
  let due = requestsIn(history, progress, end);
  if (due.some(({ at }) => at < progress.rewriteVersion)) {
    Object.assign(progress, nothing());
    due = requestsIn(history, progress, end);
  }
  let next = 0;
  const showDue = () => {
    for (let request = due[next]; request !== undefined && request.at <= progress.version; request = due[++next]) {
      progress.strata.take(request.step, progress.version);
      progress.requestVersion = request.at;
    }
  };
  showDue();
  while (progress.version < end) {
    progress.version++;
    const step = stepAt(history, progress.version);
    if (step.type === "patch" || step.type === "rewind") progress.rewriteVersion = progress.version;
    progress.strata.take(step, progress.version);
    showDue();
    if (progress.version % RECORDS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
  }
}

interface DueRequest {
  /** The version at which the request is placed: never before that of an earlier request. */
  readonly at: number;
  readonly step: StrataStep;
}

function requestsIn(history: SessionHistory, progress: Followed, end: number): readonly DueRequest[] {
  const due: DueRequest[] = [];
  let at = progress.requestVersion;
  for (let version = progress.version + 1; version <= end; version++) {
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
