import type { Message } from "../../core/message/message.ts";
import type { JudgedLogName } from "./ledger-messages.ts";

/** A log that the ledger's thread holds, for plans that go on from it. */
export interface HandedLog {
  readonly id: number;
  messages: readonly Message[];
  /** How many of them were sent so far. */
  handedMessages: number;
  /** Whether somebody may still need it. */
  isHeld: boolean;
}

/** Logs that the ledger's thread holds. */
export interface HandedLogs {
  add(id: number, messages: readonly Message[]): HandedLog;
  /** The log that these messages go on from, which now holds them too; undefined where none is left of it. */
  extend(messages: readonly Message[]): HandedLog | undefined;
  /** The name of a log that was handed over whole and that these messages go on from. */
  find(messages: readonly Message[]): JudgedLogName | undefined;
  release(log: HandedLog): void;
  /** The thread has ended, and with it what it held. */
  clear(): void;
}

/** Logs that nobody holds stay a while: the next request of their session goes on from them. */
const MOST_LOGS = 8;

export function createHandedLogs(forget: (id: number) => void): HandedLogs {
  /** Those that were used longest ago come first. */
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
