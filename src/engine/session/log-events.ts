import type { StoredBlob } from "../../core/ports/store.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { isLasting, type SessionEvent } from "./report.ts";
import type { LogContext, SessionLog } from "./session-log.ts";

type LogEvents = Pick<SessionLog, "record" | "recordAt" | "recordLater" | "flush" | "flushLater" | "events">;

/** The operations that write and read a log's events. */
export function logEvents({ replay, enqueue, load, write, unsaved }: LogContext): LogEvents {
  const writeEvents = async (events: readonly LogRecord[]) => (events.length > 0 ? write(events) : undefined);
  const flushLater = () => enqueue(async () => void (await unsaved.saveLater(writeEvents)));
  let isScheduled = false;
  return {
    record: unsaved.add,
    recordAt: (version, event) =>
      enqueue(async () => {
        if (replay.history.version() !== version) return false;
        const written = await unsaved.saveLater((events) => write([...events, { type: "event", event }], { version }));
        return written !== undefined;
      }),
    recordLater: (event, blobs) => {
      unsaved.addLater(event, blobs);
      if (isScheduled) return;
      isScheduled = true;
      // Not at once: messages that are appended in the same turn of the event loop take the event along, which saves a write.
      setTimeout(() => {
        isScheduled = false;
        // Events that could not be written stay unsaved, and are written with the next messages.
        flushLater().catch(() => undefined);
      });
    },
    flush: () => enqueue(async () => void (await unsaved.save(writeEvents))),
    flushLater,
    events: async (types) => {
      if (types === undefined || !types.every(isLasting)) await load();
      const events = [...replay.events(), ...unsaved.list()];
      return types === undefined ? events : events.filter(({ type }) => types.includes(type));
    },
  };
}

type EventRecord = Extract<LogRecord, { readonly type: "event" }>;

/** Events that the journal does not keep yet: those of `add`, which an operation writes at its end, and those of `addLater`, for which no caller waits. */
export interface UnsavedEvents {
  add(event: SessionEvent): void;
  /** Adds an event and the blobs to keep with it. @default blobs none */
  addLater(event: SessionEvent, blobs?: readonly StoredBlob[]): void;
  list(): readonly SessionEvent[];
  /** Calls `write` with all events, unless there are none of `add`. They are unsaved again where it throws. */
  save<Value>(write: Write<Value>): Promise<Value | undefined>;
  /** Calls `write` with the events of `add`, also where there are none. They are unsaved again where it throws or returns undefined. */
  saveSoon<Value>(write: Write<Value>): Promise<Value | undefined>;
  /** Calls `write` with the events of `addLater`, also where there are none. They are unsaved again where it throws or returns undefined. */
  saveLater<Value>(write: Write<Value>): Promise<Value | undefined>;
}

/** Resolves to undefined where nothing was written. */
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

  async function saveSoon<Value>(write: Write<Value>): Promise<Value | undefined> {
    const saving = soon;
    soon = [];
    let written: Value | undefined;
    try {
      written = await write(saving);
      return written;
    } finally {
      if (written === undefined) soon = [...saving, ...soon];
    }
  }

  return {
    add: (event) => void soon.push({ type: "event", event }),
    addLater: (event, blobs = []) => void later.push({ type: "event", event, ...(blobs.length > 0 && { blobs }) }),
    list: () => [...soon, ...later].map(({ event }) => event),
    save: async (write) =>
      soon.length === 0 ? undefined : saveSoon((recorded) => saveLater((later) => write([...recorded, ...later]))),
    saveSoon,
    saveLater,
  };
}
