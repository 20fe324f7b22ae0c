import type { LogRecord } from "./journal/log-record.ts";
import type { SessionEvent } from "./report.ts";

type EventRecord = Extract<LogRecord, { readonly type: "event" }>;

/** Events that the journal does not keep yet: those that an operation writes at its end, and those that nobody waits for. */
export interface UnsavedEvents {
  add(event: SessionEvent): void;
  addLater(event: SessionEvent): void;
  list(): readonly SessionEvent[];
  /** Calls `write` with all of them where there is one that is not for later. They are unsaved again where it throws. */
  save<Value>(write: Write<Value>): Promise<Value | undefined>;
  /** Calls `write` with those for later, also where there are none. */
  saveLater<Value>(write: Write<Value>): Promise<Value>;
}

type Write<Value> = (events: readonly EventRecord[]) => Promise<Value>;

export function createUnsavedEvents(): UnsavedEvents {
  let soon: SessionEvent[] = [];
  let later: SessionEvent[] = [];

  async function saveLater<Value>(write: Write<Value>): Promise<Value> {
    const saving = later;
    later = [];
    try {
      return await write(recordsOf(saving));
    } catch (error) {
      later = [...saving, ...later];
      throw error;
    }
  }

  return {
    add: (event) => void soon.push(event),
    addLater: (event) => void later.push(event),
    list: () => [...soon, ...later],
    save: async (write) => {
      const saving = soon;
      if (saving.length === 0) return undefined;
      soon = [];
      try {
        return await saveLater((events) => write([...recordsOf(saving), ...events]));
      } catch (error) {
        soon = [...saving, ...soon];
        throw error;
      }
    },
    saveLater,
  };
}

function recordsOf(events: readonly SessionEvent[]): readonly EventRecord[] {
  return events.map((event) => ({ type: "event", event }));
}
