import { type ServerResponse, STATUS_CODES } from "node:http";
import { type OwnHeaders, replyHeaders } from "./headers.ts";
import type { ReplyHead } from "./send-upstream.ts";

export interface ReplyWriterOptions {
  readonly response: ServerResponse;
  readonly head: ReplyHead;
  /** Returns the headers that the gateway adds; called when the reply is released. */
  readonly ownHeaders: () => OwnHeaders;
  /** Called when the client reads more slowly than the reply arrives: the upstream should pause until `onDrained`. */
  readonly onFull: () => void;
  readonly onDrained: () => void;
}

/** Writes a reply to the client: buffers it until it is released, and passes each further chunk on at once. */
export interface ReplyWriter {
  write(chunk: Buffer): void;
  end(): void;
  /** Called when the reply broke off: breaks off the client's connection too, so that the reply does not seem complete. */
  cut(): void;
  /** Writes the head and what is buffered. Whatever follows is written at once. */
  release(): void;
  /** How many bytes are buffered. */
  heldBytes(): number;
  /** Returns what is buffered. */
  held(): Buffer;
}

export function openReplyWriter({ response, head, ownHeaders, onFull, onDrained }: ReplyWriterOptions): ReplyWriter {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isHeld = true;
  let ending: "open" | "ended" | "cut" = "open";
  let isHeadWaiting = true;
  let isFull = false;

  function pass(chunk: Buffer): void {
    isHeadWaiting = false;
    if (response.write(chunk) || response.destroyed || isFull) return;
    isFull = true;
    onFull();
    response.once("drain", () => {
      isFull = false;
      onDrained();
    });
  }

  function release(): void {
    if (!isHeld || response.destroyed) return;
    isHeld = false;
    try {
      writeHead(response, head, ownHeaders());
    } catch {
      response.destroy();
      return;
    }
    for (const chunk of chunks.splice(0)) pass(chunk);
    if (ending === "ended") response.end();
    else if (ending === "cut") cutOff(response);
    // gives the first bytes of the body a chance to leave in one packet with the head, but does not wait for them
    else process.nextTick(() => isHeadWaiting && !response.destroyed && response.flushHeaders());
  }

  return {
    write: (chunk) => {
      if (!isHeld) return pass(chunk);
      chunks.push(chunk);
      bytes += chunk.length;
    },
    end: () => {
      ending = "ended";
      if (!isHeld) response.end();
    },
    cut: () => {
      ending = "cut";
      if (!isHeld) cutOff(response);
    },
    release,
    heldBytes: () => bytes,
    held: () => Buffer.concat(chunks),
  };
}

/**
 * Returns a writer that keeps the newest chunk of a reply back until `until` is settled, and writes all chunks before it at once. So the client
 * cannot read the reply to its end earlier, even if it takes the last event of a stream for the end and not the end of the connection.
 */
export function holdEnd(writer: ReplyWriter, until: Promise<void> | undefined): ReplyWriter {
  if (until === undefined) return writer;
  let isHolding = true;
  let isEnded = false;
  let newest: Buffer | undefined;

  function flush(): void {
    isHolding = false;
    if (newest !== undefined) writer.write(newest);
    newest = undefined;
    if (isEnded) writer.end();
  }
  until.then(flush, flush);

  return {
    ...writer,
    write: (chunk) => {
      if (!isHolding) return writer.write(chunk);
      if (newest !== undefined) writer.write(newest);
      newest = chunk;
    },
    end: () => {
      isEnded = true;
      if (!isHolding) writer.end();
    },
    cut: () => {
      if (isHolding) flush();
      writer.cut();
    },
    heldBytes: () => writer.heldBytes() + (newest?.length ?? 0),
    held: () => Buffer.concat(newest === undefined ? [writer.held()] : [writer.held(), newest]),
  };
}

function writeHead(response: ServerResponse, { status, statusText, raw }: ReplyHead, own: OwnHeaders): void {
  response.sendDate = false;
  const phrase = reasonPhrase(status, statusText);
  try {
    response.writeHead(status, phrase, replyHeaders(raw, own));
  } catch {
    // one of the gateway's own headers that Node refuses must not cost the client the reply
    response.writeHead(status, phrase, replyHeaders(raw, {}));
  }
}

// Node refuses to write control characters. U+FFFD is what undici, which reads the phrase as UTF-8, makes of other bytes.
const UNWRITABLE = /(?!\t)[\p{Cc}\ufffd]/u;

/** Returns the phrase with one character for each original byte, as Node writes it, or the standard phrase if it cannot be written. */
function reasonPhrase(status: number, statusText: string): string {
  if (UNWRITABLE.test(statusText)) return STATUS_CODES[status] ?? "";
  return Buffer.from(statusText, "utf8").toString("latin1");
}

// Called later, so that what was passed on before is written first. In HTTP/1.0 a closed connection is a regular end of a reply, so it is reset.
function cutOff(response: ServerResponse): void {
  setImmediate(() => {
    if (response.req.httpVersion === "1.0") response.socket?.resetAndDestroy();
    response.destroy();
  });
}
