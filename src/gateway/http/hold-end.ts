import type { ReplyWriter } from "./reply-writer.ts";

/**
 * A writer that keeps the newest chunk of a reply back until something is done; whatever comes before it is written at once. The client
 * cannot have read the reply to its end before: also where that is the last event of a stream, not the end of the connection.
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
