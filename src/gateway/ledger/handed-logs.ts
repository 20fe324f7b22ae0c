import type { Message } from "../../core/message/message.ts";
import type { JudgedLogName } from "./ledger-messages.ts";

/** A log that the ledger thread has a copy of, so that a later plan only has to send the new messages. */
export interface HandedLog {
  readonly id: number;
  messages: readonly Message[];
  /** How many of the messages were sent to the thread so far. */
  handedMessages: number;
  /** Whether the caller that handed the log over still needs it. */
  isHeld: boolean;
}

/** Keeps track of the logs that the ledger thread has copies of. */
export interface HandedLogs {
  add(id: number, messages: readonly Message[]): HandedLog;
  /** Finds a log that these messages begin with and that nobody holds, and sets its messages to these; undefined where there is none. */
  extend(messages: readonly Message[]): HandedLog | undefined;
  /** The name of a log that was sent as a whole and that these messages begin with; undefined where there is none. */
  find(messages: readonly Message[]): JudgedLogName | undefined;
  release(log: HandedLog): void;
  /** Called when the thread has ended: its copies are gone. */
  clear(): void;
}

/** The most logs that are kept. Those that nobody holds are kept, too, as the next request of their session begins with them. */
const MOST_LOGS = 8;

export function createHandedLogs(forget: (id: number) => void): HandedLogs {
  /** The least recently used logs come first. */
  let logs: readonly HandedLog[] = [];

  function add(log: HandedLog): HandedLog {
    const [oldest, ...rest] = logs;
    if (oldest !== undefined && logs.length >= MOST_LOGS) {
      oldest.isHeld = false;
      forget(oldest.id);
    }
    logs = [...(logs.length >= MOST_LOGS ? rest : logs), log];
    return log;
  }

  return {
    add: (id, messages) => add({ id, messages, handedMessages: 0, isHeld: true }),
    extend: (messages) => {
      const log = logs.find((each) => !each.isHeld && isWhole(each) && isPrefix(each.messages, messages));
      if (log === undefined) return undefined;
      log.messages = messages;
      log.isHeld = true;
      logs = [...logs.filter((each) => each !== log), log];
      return log;
    },
    find: (messages) => {
      const log = logs.find((each) => isWhole(each) && isPrefix(each.messages, messages));
      return log && { id: log.id, messages: log.handedMessages };
    },
    release: (log) => {
      log.isHeld = false;
    },
    clear: () => {
      for (const log of logs) log.isHeld = false;
      logs = [];
    },
  };
}

function isWhole({ messages, handedMessages }: HandedLog): boolean {
  return handedMessages === messages.length;
}

function isPrefix(start: readonly Message[], messages: readonly Message[]): boolean {
  return start.length <= messages.length && start.every((message, index) => message === messages[index]);
}
