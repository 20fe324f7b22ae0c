import { findVersion } from "./find-version.ts";
import type { LogHistory } from "./journal/log-history.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { type RewindPorts, rewindSession } from "./rewind.ts";
import type { Session } from "./session.ts";
import type { SessionContext } from "./session-context.ts";

type MomentOperations = Pick<Session, "rewind" | "branch" | "checkpoint" | "checkpointIfDue" | "checkpoints">;

/** The operations that keep moments of a session and go back to them, in this session or in a branch. */
export function momentOperations({ ports, live, enqueue }: SessionContext, files: RewindPorts): MomentOperations {
  const { checkpoints } = files;
  return {
    rewind: (rewindOptions) => enqueue(() => rewindSession(live, rewindOptions, files)),
    branch: (branchId, moment) =>
      enqueue(async () => {
        const history = await live.log.history();
        const version = moment === undefined ? history.version() : findVersion(history, moment);
        return ports.branch(branchId, recordsOfBranch(history, version));
      }),
    checkpoint: (checkpointOptions = {}) => enqueue(() => checkpoints.save(checkpointOptions)),
    checkpointIfDue: (checkpointOptions = {}) => enqueue(() => checkpoints.saveIfDue(checkpointOptions)),
    checkpoints: ({ limit } = {}) => checkpoints.list(limit),
  };
}

/**
 * The records that led to a version, for a branch to begin with. A patch keeps the event of its update, even if the version lies between the
 * two records: `verify` takes a change that no event names for damage. Costs are left out: the session that paid them has them in its statement.
 */
function recordsOfBranch(history: LogHistory, version: number): readonly LogRecord[] {
  const path = history.pathTo(version);
  return path.flatMap(({ version: at, record }, index) => {
    const next = record.type === "patch" ? history.record(at + 1) : undefined;
    const isCutOff = next?.type === "event" && next.event.type === "updated" && path[index + 1]?.version !== at + 1;
    return isCutOff ? [record, next] : withoutCost(record);
  });
}

/** The record without what was paid: no record of a request, and condensations at no cost. */
function withoutCost(record: LogRecord): readonly LogRecord[] {
  if (record.type !== "event") return [record];
  const { event } = record;
  if (event.type === "request") return [];
  const isPaid = (event.type === "condense_context" || event.type === "condense_failed") && event.cost > 0;
  return isPaid ? [{ type: "event", event: { ...event, cost: 0 } }] : [record];
}
