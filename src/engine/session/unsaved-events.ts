import type { StoredBlob } from "../../core/ports/store.ts";
import type { LogRecord } from "./journal/log-record.ts";
import type { SessionEvent } from "./report.ts";

type EventRecord = Extract<LogRecord, { readonly type: "event" }>;

/** Events that the journal does not keep yet: those that an operation writes at its end, and those that nobody waits for. */
export interface UnsavedEvents {
  add(event: SessionEvent): void;
  /** The blobs are kept with it. @default none */
  addLater(event: SessionEvent, blobs?: readonly StoredBlob[]): void;
  list(): readonly SessionEvent[];
  /** Calls `write` with all of them where there is one that is not for later. They are unsaved again where it throws. */
  save<Value>(write: Write<Value>): Promise<Value | undefined>;
  /** Calls `write` with those for later, also where there are none. */
  saveLater<Value>(write: Write<Value>): Promise<Value>;
}

type Write<Value> = (events: readonly EventRecord[]) => Promise<Value>;

export function createUnsavedEvents(): UnsavedEvents {
  let soon: EventRecord[] = [];
  let later: EventRecord[] = [];

  async function saveLater<Value>(write: Write<Value>): Promise<Value> {
    const saving = later;
    later = [];
    try {
      return await write(saving);
    } catch (error) {
      later = [...saving, ...later];
      throw error;
    }
  }

  return {
    add: (event) => void soon.push({ type: "event", event }),
    addLater: (event, blobs = []) => void later.push({ type: "event", event, ...(blobs.length > 0 && { blobs }) }),
    list: () => [...soon, ...later].map(({ event }) => event),
    save: async (write) => {
      const saving = soon;
      if (saving.length === 0) return undefined;
      soon = [];
      try {
        return await saveLater((events) => write([...saving, ...events]));
      } catch (error) {
        soon = [...saving, ...soon];
        throw error;
      }
    },
    saveLater,
  };
}
