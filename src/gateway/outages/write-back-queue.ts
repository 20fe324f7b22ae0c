import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../core/ports/store.ts";
import { timerMs } from "../../engine/time-limit.ts";
import type { SessionHandle, SessionHandles } from "./session-handles.ts";
import { type WriteBackOutcome, writeBack } from "./write-back.ts";

export interface WriteBackQueueOptions {
  readonly store: Store;
  readonly now: () => number;
  /** If the write-back of a session takes longer, that of the next session begins beside it. */
  readonly timeoutMs: number;
  readonly handles: SessionHandles;
  /** Whether the store is known not to answer. Then nothing is tried, and the caller must call `start` when it answers again. */
  readonly isBlocked: () => boolean;
  readonly onWritten: (sessionId: string, outcome: WriteBackOutcome) => void;
}

/** Writes buffers to the store in the background, one session after the other, until none is left. */
export interface WriteBackQueue {
  /** Begins at once, even during the pause before the next try. */
  start(): void;
  /** Tries to write every buffer once, all at the same time. Never rejects. */
  flush(): Promise<void>;
  stop(): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export function createWriteBackQueue(options: WriteBackQueueOptions): WriteBackQueue {
  const { handles, timeoutMs, isBlocked, onWritten } = options;
  let isRunning = false;
  let isStopped = false;
  /** Aborted to end the pause between two tries. */
  let wake = new AbortController();

  /** Writes a session's buffer, unless that is being done already. Never rejects: records that could not be written stay in the buffer. */
  function write(handle: SessionHandle): Promise<void> {
    const { buffer, id } = handle;
    if (buffer === undefined) return Promise.resolve();
    handle.writing ??= writeBack({ handle, buffer }, options)
      .then(
        (outcome) => onWritten(id, outcome),
        () => undefined,
      )
      .finally(() => {
        handle.writing = undefined;
      });
    return handle.writing;
  }

  async function writeEach(): Promise<void> {
    for (const handle of handles.buffered()) {
      if (isBlocked() || isStopped) return;
      const tooLong = new AbortController();
      await Promise.race([write(handle), pause(timeoutMs, tooLong.signal)]);
      tooLong.abort();
    }
  }

  async function run(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      wake = new AbortController();
      await writeEach();
      if (isStopped || isBlocked() || handles.buffered().length === 0) return;
      await pause(pauseMs, wake.signal);
    }
  }

  return {
    start: () => {
      wake.abort();
      if (isRunning || isStopped || isBlocked()) return;
      isRunning = true;
      void run().finally(() => {
        isRunning = false;
      });
    },
    flush: async () => {
      await Promise.all(handles.buffered().map(write));
    },
    stop: () => {
      isStopped = true;
      wake.abort();
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(timerMs(ms), undefined, { ref: false, signal }).catch(() => undefined);
}
