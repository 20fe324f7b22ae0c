import { type ServerResponse, STATUS_CODES } from "node:http";
import { type OwnHeaders, replyHeaders } from "./headers.ts";
import type { ReplyHead } from "./send-upstream.ts";

export interface ReplyWriterOptions {
  readonly response: ServerResponse;
  readonly head: ReplyHead;
  /** Headers of ours; called when the reply is released. */
  readonly ownHeaders: () => OwnHeaders;
  /** The client reads more slowly than the reply comes. */
  readonly onFull: () => void;
  readonly onDrained: () => void;
}

/** Writes a reply to the client: buffers it until it is released, then passes it on as it comes. */
export interface ReplyWriter {
  write(chunk: Buffer): void;
  end(): void;
  /** The reply broke off: so does the client's connection, lest it seem whole. */
  cut(): void;
  /** Writes what is buffered; everything that follows is written at once. */
  release(): void;
  heldBytes(): number;
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
    // a head that comes with its first bytes leaves with them; one that comes alone does not wait
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

function writeHead(response: ServerResponse, { status, statusText, raw }: ReplyHead, own: OwnHeaders): void {
  response.sendDate = false;
  const phrase = reasonPhrase(status, statusText);
  try {
    response.writeHead(status, phrase, replyHeaders(raw, own));
  } catch {
    // a header of ours that Node refuses must not cost the client the reply
    response.writeHead(status, phrase, replyHeaders(raw, {}));
  }
}

// Node refuses to write controls, and undici read the bytes as UTF-8: where they were none, U+FFFD is left of them.
const UNWRITABLE = /(?!\t)[\p{Cc}\ufffd]/u;

/** The phrase with the bytes that it came in, one character for each, as Node writes it; the standard one where it cannot be written. */
function reasonPhrase(status: number, statusText: string): string {
  if (UNWRITABLE.test(statusText)) return STATUS_CODES[status] ?? "";
  return Buffer.from(statusText, "utf8").toString("latin1");
}

// What was passed on before goes first. Without a length or chunks the end of the connection is the end of the reply: a reset is not.
function cutOff(response: ServerResponse): void {
  setImmediate(() => {
    if (response.req.httpVersion === "1.0") response.socket?.resetAndDestroy();
    response.destroy();
  });
}
