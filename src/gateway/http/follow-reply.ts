import type { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import { type ContentCoding, createDecoder } from "./content-coding.ts";

export interface FollowOptions {
  readonly follower: ReplyFollower;
  readonly coding: ContentCoding;
  /** A reply that is not streamed is kept by its follower until it is whole. */
  readonly maxTextLength: number;
  /** After each piece that the follower was told. */
  readonly onTold: () => void;
  /** The follower threw: it is told no more. */
  readonly onThrown: (error: unknown) => void;
  /** It is told no more, for whatever reason, though there may be more of the reply. */
  readonly onLost: () => void;
}

/** A reply that is followed beside its way to the client, and never slows it down. */
export interface Following {
  push(chunk: Buffer): void;
  /** Resolves when the follower was told everything that could be decoded. */
  end(): Promise<void>;
  stop(): void;
}

/** Compressed bytes that wait for their turn; a decoder that falls behind by more is given up. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

export function followReply(options: FollowOptions): Following {
  const { coding } = options;
  const listener = tellText(options);
  if (coding === "identity") return { push: listener.tell, end: async () => listener.finish(), stop: listener.stop };
  return coding === "unknown" ? NOTHING : followCompressed(coding, listener);
}

const NOTHING: Following = { push: () => {}, end: async () => {}, stop: () => {} };

interface Listener {
  tell(chunk: Buffer): void;
  finish(): void;
  /** The rest of it cannot be read. */
  lose(): void;
  stop(): void;
}

function tellText({ follower, maxTextLength, onTold, onThrown, onLost }: FollowOptions): Listener {
  const decoder = new StringDecoder("utf8");
  let isStopped = false;
  let length = 0;

  function tell(text: string): void {
    length += text.length;
    if (length > maxTextLength) lose();
    if (isStopped || text === "") return;
    try {
      follower.push(text);
    } catch (error) {
      onThrown(error);
      lose();
      return;
    }
    onTold();
  }

  function lose(): void {
    isStopped = true;
    onLost();
  }

  return {
    tell: (chunk) => {
      if (!isStopped) tell(decoder.write(chunk));
    },
    finish: () => tell(decoder.end()),
    lose,
    stop: () => {
      isStopped = true;
    },
  };
}

function followCompressed(coding: Exclude<ContentCoding, "identity" | "unknown">, listener: Listener): Following {
  let decoder: Transform | undefined;
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });

  function stop(): void {
    listener.stop();
    decoder?.destroy();
    markEnded();
  }

  function giveUp(): void {
    listener.lose();
    stop();
  }

  function start(first: Buffer): Transform {
    return createDecoder(coding, first)
      .on("data", (chunk: Buffer) => listener.tell(chunk))
      .on("end", () => {
        listener.finish();
        markEnded();
      })
      .on("error", giveUp);
  }

  return {
    push: (chunk) => {
      decoder ??= start(chunk);
      if (decoder.writableLength > MOST_WAITING_BYTES) giveUp();
      if (!decoder.destroyed && !decoder.writableEnded) decoder.write(chunk);
    },
    end: () => {
      if (decoder === undefined) markEnded();
      else decoder.end();
      return ended;
    },
    stop,
  };
}
