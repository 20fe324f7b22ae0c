import { collectStandIns, isHidden, isStandIn, renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { createLogHistory, type LogHistory } from "../../engine/session/journal/log-history.ts";
import type { Session } from "../../engine/session/session.ts";
import { readExport } from "../../engine/session/session-export.ts";

/** A message of a session, with its version and place. */
export interface PlacedMessage {
  /** The session's version right after the message was added; undefined for a stand-in. */
  readonly version: number | undefined;
  readonly message: Message;
  /** Its index in the current log; undefined for a message that is not in it. */
  readonly place?: number;
}

/** Reads the whole history of a session, including what was rewound. */
export async function readHistory(session: Session): Promise<LogHistory> {
  const history = createLogHistory(session.id);
  history.add(readExport(await session.export()));
  return history;
}

/** The current log, with the version of each message. */
export function placedLog(history: LogHistory): readonly PlacedMessage[] {
  const said = saidOnPath(history);
  let next = 0;
  return history.logAt(history.version()).map((message, place) => {
    // Folds only add and remove stand-ins: all other messages keep their order.
    const version = isStandIn(message) ? undefined : said[next++]?.version;
    return { version, message, place };
  });
}

/** The view of a log, with the version of each message. */
export function placedView(log: readonly PlacedMessage[]): readonly PlacedMessage[] {
  const standIns = collectStandIns(log.map(({ message }) => message));
  return log
    .filter(({ message }) => !isHidden(message, standIns))
    .map(({ message, ...placed }) => ({ ...placed, message: renderMessage(message) }));
}

/** The messages on the path to the current version, without rewound ones and without stand-ins. */
export function saidOnPath(history: LogHistory): readonly PlacedMessage[] {
  return history
    .pathTo(history.version())
    .flatMap(({ version, record }) =>
      record.type === "message" && !isStandIn(record.message) ? [{ version, message: record.message }] : [],
    );
}
