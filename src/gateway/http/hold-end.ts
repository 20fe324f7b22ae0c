import type { ReplyWriter } from "./reply-writer.ts";

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
