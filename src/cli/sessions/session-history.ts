import { collectStandIns, isHidden, isStandIn, renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { createLogHistory, type LogHistory } from "../../engine/session/journal/log-history.ts";
import type { Session } from "../../engine/session/session.ts";
import { readExport } from "../../engine/session/session-export.ts";

/** A message, and the version at which it was said; a stand-in was never said. */
export interface PlacedMessage {
  readonly version: number | undefined;
  readonly message: Message;
  /** In the log as it is now; undefined for a message that is not in it. */
  readonly place?: number;
}

/** All that was ever done to a session. */
export async function readHistory(session: Session): Promise<LogHistory> {
  const history = createLogHistory(session.id);
  history.add(readExport(await session.export()));
  return history;
}

/** The log as it is now, with the version of each message. */
export function placedLog(history: LogHistory): readonly PlacedMessage[] {
  const said = saidOnPath(history);
  let taken = 0;
  return history.logAt(history.version()).map((message, place) => {
    // Folds only add and remove stand-ins: what was said keeps its order.
    const version = isStandIn(message) ? undefined : said[taken++]?.version;
    return { version, message, place };
  });
}

/** What is sent, with the version of each message. */
export function placedView(log: readonly PlacedMessage[]): readonly PlacedMessage[] {
  const standIns = collectStandIns(log.map(({ message }) => message));
  return log
    .filter(({ message }) => !isHidden(message, standIns))
    .map(({ message, ...placed }) => ({ ...placed, message: renderMessage(message) }));
}

/** The messages that lead to where the session stands: without what was rewound, and without stand-ins. */
export function saidOnPath(history: LogHistory): readonly PlacedMessage[] {
  return history
    .pathTo(history.version())
    .flatMap(({ version, record }) =>
      record.type === "message" && !isStandIn(record.message) ? [{ version, message: record.message }] : [],
    );
}
