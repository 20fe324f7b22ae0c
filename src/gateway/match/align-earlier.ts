import { effectiveView } from "../../core/message/effective-view.ts";
import { rebase } from "../../core/tokens/forecast.ts";
import type { Session } from "../../engine/session/session.ts";
import type { SessionSnapshot } from "../../engine/session/session-snapshot.ts";
import { type AlignedLog, alignLog } from "./align.ts";

/**
 * Aligns a request that is the beginning of a session's log with that log as it was before it grew further. The folds of that moment give the bytes
 * that were sent first, and those that the session shows again once it is rewound there. Undefined where the log was not equal to the request then.
 */
export async function alignEarlier(aligned: AlignedLog, session: Session): Promise<AlignedLog | undefined> {
  const { incoming, snapshot, said, isOwner } = aligned;
  const nextId = said.at(incoming.messages.length)?.id;
  const history = await session.history();
  const next = history
    .pathTo(snapshot.version)
    .findLast(({ record }) => record.type === "message" && record.message.id === nextId);
  if (nextId === undefined || next === undefined) return undefined;
  const version = next.version - 1;
  const log = history.logAt(version);
  // What the session learned about its prompt's size holds for another view.
  const forecast = { state: rebase(snapshot.forecast.state), viewMessages: 0 };
  const then: SessionSnapshot = {
    ...snapshot,
    outline: undefined,
    version,
    log,
    view: effectiveView(log),
    forecast,
    nextForecast: forecast,
  };
  const earlier = alignLog(incoming, then, { isOwner });
  const isAll = earlier.alignment.type === "continues" && earlier.said.count === incoming.messages.length;
  return isAll ? earlier : undefined;
}
