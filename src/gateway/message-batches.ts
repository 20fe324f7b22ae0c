import type { Message } from "../core/message/message.ts";

export interface BatchLimits {
  /** A batch ends at this many messages. */
  readonly messages: number;
  /** A batch ends at this size, by `sizeOf`. */
  readonly size: number;
  readonly sizeOf: (message: Message) => number;
}

/** Splits messages into batches, in order. Only the last batch may be below both limits. */
export function* batchesOf(messages: readonly Message[], limits: BatchLimits): Generator<readonly Message[]> {
  let batch: Message[] = [];
  let size = 0;
  for (const message of messages) {
    batch.push(message);
    size += limits.sizeOf(message);
    if (batch.length < limits.messages && size < limits.size) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
