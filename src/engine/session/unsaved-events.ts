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
  /** Calls `write` with those for later, also where there are none. They are unsaved again where it throws, or gives undefined. */
  saveLater<Value>(write: Write<Value>): Promise<Value | undefined>;
}

/** Undefined where nothing was written. */
type Write<Value> = (events: readonly EventRecord[]) => Promise<Value | undefined>;

export function createUnsavedEvents(): UnsavedEvents {
  let soon: EventRecord[] = [];
  let later: EventRecord[] = [];

  async function saveLater<Value>(write: Write<Value>): Promise<Value | undefined> {
    const saving = later;
    later = [];
    let written: Value | undefined;
    try {
      written = await write(saving);
      return written;
    } finally {
      if (written === undefined) later = [...saving, ...later];
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
