import type { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import { type ContentCoding, createDecoder } from "./content-coding.ts";

export interface FollowOptions {
  readonly follower: ReplyFollower;
  readonly coding: ContentCoding;
  /** In characters: a longer reply is not followed to its end. Followers keep replies that are not streamed in memory. */
  readonly maxTextLength: number;
  /** Called after each piece of text that was pushed to the follower. */
  readonly onFollowed: () => void;
  /** Called when the follower throws: nothing more is pushed to it. */
  readonly onThrown: (error: unknown) => void;
  /** Called when nothing more is pushed to the follower, for whatever reason, though the reply may go on. */
  readonly onLost: () => void;
}

/** Pushes the text of a reply to its follower, while the reply is passed on to the client without waiting for that. */
export interface Following {
  push(chunk: Buffer): void;
  /** Called at the end of the reply. Resolves when all of it that could be decoded was pushed to the follower. */
  end(): Promise<void>;
  stop(): void;
}

/** The most compressed bytes that may wait to be decoded: if a decoder falls behind by more, the rest of the reply is not followed. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

export function followReply(options: FollowOptions): Following {
  const { coding } = options;
  const sink = createTextSink(options);
  if (coding === "identity") return { push: sink.push, end: async () => sink.finish(), stop: sink.stop };
  return coding === "unknown" ? NOTHING : followCompressed(coding, sink);
}

const NOTHING: Following = { push: () => {}, end: async () => {}, stop: () => {} };

/** Takes the decoded bytes of a reply and pushes them to the follower as text. */
interface TextSink {
  push(chunk: Buffer): void;
  finish(): void;
  /** Called if the rest of the reply cannot be decoded. */
  lose(): void;
  stop(): void;
}

function createTextSink({ follower, maxTextLength, onFollowed, onThrown, onLost }: FollowOptions): TextSink {
  const decoder = new StringDecoder("utf8");
  let isStopped = false;
  let length = 0;

  function pushText(text: string): void {
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
    onFollowed();
  }

  function lose(): void {
    isStopped = true;
    onLost();
  }

  return {
    push: (chunk) => {
      if (!isStopped) pushText(decoder.write(chunk));
    },
    finish: () => pushText(decoder.end()),
    lose,
    stop: () => {
      isStopped = true;
    },
  };
}

function followCompressed(coding: Exclude<ContentCoding, "identity" | "unknown">, sink: TextSink): Following {
  let decoder: Transform | undefined;
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });

  function stop(): void {
    sink.stop();
    decoder?.destroy();
    markEnded();
  }

  function giveUp(): void {
    sink.lose();
    stop();
  }

  function start(first: Buffer): Transform {
    return createDecoder(coding, first)
      .on("data", (chunk: Buffer) => sink.push(chunk))
      .on("end", () => {
        sink.finish();
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
