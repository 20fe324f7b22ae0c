import { PalimpsestError } from "../../core/errors.ts";
import { compareLogs } from "../../core/history/log-patch.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { ownMessages } from "../extensions/own-messages.ts";
import type { LogRecord } from "./journal/log-record.ts";
import type { LogContext, SessionLog } from "./session-log.ts";

/** How often a rewind is tried again in a row before its caller gets the conflict: other processes may rewrite the log at any rate. */
const MAX_REWIND_TRIES = 5;

type LogWrites = Pick<SessionLog, "append" | "appendAfter" | "begin" | "commit" | "rewind">;

/** The operations that append messages to a log, and those that rewrite it. */
export function logWrites({ sessionId, countTokens, replay, enqueue, load, write, unsaved }: LogContext): LogWrites {
  const { history } = replay;
  /** Messages are counted before any is kept, so that one that cannot be counted is refused. */
  const countAll = (messages: readonly Message[]) => countMessagesTokens(messages.map(renderMessage), countTokens);
  function recordsOf(added: readonly Message[]): readonly LogRecord[] {
    const own = ownMessages(added);
    countAll(own);
    return own.map((message) => ({ type: "message", message }));
  }
  return {
    append: (added) => {
      const records = recordsOf(added);
      return enqueue(async () => {
        if (records.length > 0) await unsaved.saveLater((events) => write([...events, ...records]));
      });
    },
    appendAfter: (version, added) => {
      const records = recordsOf(added);
      return enqueue(async () => {
        if (history.version() !== version) return false;
        return records.length === 0 || (await write(records, { version })) !== undefined;
      });
    },
    begin: (records) =>
      enqueue(async () => {
        if (history.version() > 0) return false;
        countAll(records.flatMap((record) => (record.type === "message" ? [record.message] : [])));
        return records.length === 0 || (await write(records, { version: 0 })) !== undefined;
      }),
    commit: (base, folded, events = []) => {
      const difference = compareLogs(base.messages, ownMessages(folded));
      if (difference === undefined) throw notAFold(sessionId);
      const { patch } = difference;
      const { rewriteVersion } = base;
      return enqueue(async () => {
        history.foresee({ ...difference, before: base.messages });
        try {
          // One write for a fold and its events: the caller, who sends the view, waits for one.
          const written = await unsaved.saveSoon((recorded) => {
            const told = events.map((event) => ({ type: "event", event }) as const);
            return write([...recorded, { type: "patch", patch }, ...told], { rewriteVersion });
          });
          return written !== undefined;
        } finally {
          history.foresee(undefined);
        }
      });
    },
    rewind: async (find) => {
      await load();
      return enqueue(async () => {
        for (let tries = 0; tries < MAX_REWIND_TRIES; tries++) {
          const record = find(history);
          const version = await write([record], { rewriteVersion: history.rewriteVersion() });
          if (version !== undefined) return { record, version };
        }
        throw keptRewriting(sessionId);
      });
    },
  };
}

function notAFold(sessionId: string): PalimpsestError {
  return new PalimpsestError(
    "invalid-argument",
    `Messages of the session ${JSON.stringify(sessionId)} would be lost, moved or replaced; folds only hide them.`,
  );
}

function keptRewriting(sessionId: string): PalimpsestError {
  return new PalimpsestError(
    "conflict",
    `Others kept rewriting the session ${JSON.stringify(sessionId)} while it was to be rewound. Try again.`,
  );
}
