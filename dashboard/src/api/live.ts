import { createEventReader } from "../model/event-stream.ts";
import type { Api } from "./client.ts";

/** What the stream of events says, as far as the page uses it. */
export interface Activity {
  readonly type: "request" | "session" | "incident";
  readonly sessionId?: string;
}

export type Connection = "connecting" | "live" | "lost";

export interface Live {
  /** Returns what ends it. After a lost connection it is called without an activity: anything may have happened. */
  listen(listener: (activity: Activity | undefined) => void): () => void;
  watch(listener: (connection: Connection) => void): () => void;
  close(): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** Follows the gateway's events, and begins again where the connection is lost. */
export function followLive(api: Api): Live {
  const listeners = new Set<(activity: Activity | undefined) => void>();
  const watchers = new Set<(connection: Connection) => void>();
  const stopper = new AbortController();
  let connection: Connection = "connecting";
  let lastEventId: string | undefined;

  function set(next: Connection): void {
    if (connection === next) return;
    const isBack = connection === "lost" && next === "live";
    connection = next;
    for (const watcher of watchers) watcher(next);
    if (isBack) for (const listener of listeners) listener(undefined);
  }

  async function readOnce(): Promise<void> {
    const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const response = await api.open("/events", { headers, signal: stopper.signal });
    set("live");
    const reader = createEventReader();
    const stream = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const piece = await stream?.read();
      if (piece === undefined || piece.done) return;
      for (const { id, data } of reader.read(piece.value)) {
        lastEventId = id ?? lastEventId;
        const activity: Activity = JSON.parse(data);
        for (const listener of listeners) listener(activity);
      }
    }
  }

  async function run(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!stopper.signal.aborted) {
      const startedAt = Date.now();
      await readOnce().catch(() => {});
      if (stopper.signal.aborted) return;
      set("lost");
      // A connection that held for a while is tried again at once.
      pauseMs = Date.now() - startedAt > LONGEST_PAUSE_MS ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  void run();
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch: (listener) => {
      watchers.add(listener);
      listener(connection);
      return () => watchers.delete(listener);
    },
    close: () => stopper.abort(),
  };
}
