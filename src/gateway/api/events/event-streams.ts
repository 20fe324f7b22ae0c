import type { ActivityFeed } from "../../activity.ts";
import { createActivityRing, type RingEntry } from "./activity-ring.ts";

/** The open streams of Server-Sent Events, one for each client that follows the activities. */
export interface EventStreams {
  /** Opens a stream. Returns undefined if too many are open, or after `close`. */
  open(options: OpenStreamOptions): ReadableStream<Uint8Array> | undefined;
  count(): number;
  /** Ends all streams. */
  close(): void;
}

export interface OpenStreamOptions {
  /** Restricts the stream to activities of this session. @default all activities */
  readonly sessionId?: string | undefined;
  /** Begins with the kept activities after this id. @default begins with the next activity */
  readonly lastEventId?: number | undefined;
  /** Ends the connection of a client that is too slow. @default the stream fails */
  readonly disconnect?: (() => void) | undefined;
}

export interface EventStreamsOptions {
  readonly startedAt: number;
  /** @default 15_000 */
  readonly heartbeatMs?: number;
}

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;
const REMEMBERED = 1_000;
/** A client may get all kept activities at once, and then fall behind by as many. */
const MAX_QUEUED = 2 * REMEMBERED;
const MAX_STREAMS = 256;

interface Stream {
  send(chunk: Uint8Array): void;
  readonly sessionId: string | undefined;
  end(): void;
}

export function createEventStreams(
  feed: ActivityFeed,
  { startedAt, heartbeatMs = HEARTBEAT_MS }: EventStreamsOptions,
): EventStreams {
  const encoder = new TextEncoder();
  const heartbeat = encoder.encode(": heartbeat\n\n");
  const ring = createActivityRing({ startedAt, size: REMEMBERED });
  const streams = new Set<Stream>();
  let isClosed = false;
  const stopListening = feed.listen((activity) => {
    const entry = ring.add(activity);
    for (const stream of streams) if (concerns(entry, stream.sessionId)) stream.send(entry.chunk());
  });
  const timer = setInterval(() => {
    for (const stream of streams) stream.send(heartbeat);
  }, heartbeatMs);
  timer.unref();

  return {
    open: (options) => {
      if (isClosed || streams.size >= MAX_STREAMS) return undefined;
      let opened: Stream | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            opened = openStream(controller, options, (stream) => streams.delete(stream));
            opened.send(encoder.encode(`retry: ${RETRY_MS}\n\n`));
            const { lastEventId, sessionId } = options;
            const missed = lastEventId === undefined ? [] : ring.newerThan(lastEventId);
            for (const entry of missed) if (concerns(entry, sessionId)) opened.send(entry.chunk());
            streams.add(opened);
          },
          cancel: () => {
            if (opened !== undefined) streams.delete(opened);
          },
        },
        { highWaterMark: MAX_QUEUED },
      );
    },
    count: () => streams.size,
    close: () => {
      isClosed = true;
      stopListening();
      clearInterval(timer);
      for (const stream of streams) stream.end();
      streams.clear();
    },
  };
}

/** Makes the stream of one client. A client that reads too slowly is given up: `drop` is called with its stream, and its connection ends. */
function openStream(
  controller: ReadableStreamDefaultController<Uint8Array>,
  { sessionId, disconnect }: OpenStreamOptions,
  drop: (stream: Stream) => void,
): Stream {
  const stream: Stream = {
    sessionId,
    send: (chunk) => {
      if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(chunk);
      drop(stream);
      if (disconnect === undefined) controller.error(new Error("The client reads too slowly."));
      else disconnect();
    },
    end: () => controller.close(),
  };
  return stream;
}

function concerns(entry: RingEntry, sessionId: string | undefined): boolean {
  return sessionId === undefined || entry.sessionId === sessionId;
}
