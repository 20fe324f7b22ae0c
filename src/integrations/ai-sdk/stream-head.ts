/** A part of a model's stream, as far as it matters here. */
export interface AiSdkStreamPart {
  readonly type: string;
}

/** A stream whose first telling part is known. */
export interface OpenedStream<Part> {
  /** All of its parts, those that were read already included. */
  readonly stream: ReadableStream<Part>;
  /** What the stream opened with instead of content; absent where it has content. */
  readonly failure?: { readonly error: unknown };
}

/** Parts that come before the model has said anything. */
const OPENING: ReadonlySet<string> = new Set(["stream-start", "response-metadata", "raw"]);

/** Waits until a stream has content or an error: some providers tell in a stream that has opened what others refuse at once. */
export async function openStream<Part extends AiSdkStreamPart>(
  stream: ReadableStream<Part>,
): Promise<OpenedStream<Part>> {
  const reader = stream.getReader();
  const head: Part[] = [];
  let failure: OpenedStream<Part>["failure"];
  try {
    for (let isTold = false; !isTold; ) {
      const { done, value } = await reader.read();
      if (done) break;
      head.push(value);
      isTold = !OPENING.has(value.type);
      if (value.type === "error" && "error" in value) failure = { error: value.error };
    }
  } catch {
    // The reader is told again, and whoever reads the stream with it.
  }
  return { stream: restored(head, reader), ...(failure !== undefined && { failure }) };
}

function restored<Part>(head: readonly Part[], reader: ReadableStreamDefaultReader<Part>): ReadableStream<Part> {
  const parts = head.values();
  return new ReadableStream({
    async pull(controller) {
      const known = parts.next();
      if (known.done !== true) return controller.enqueue(known.value);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Passes all parts on, and reads the usage from the last. */
export function watchUsage<Part extends AiSdkStreamPart>(
  onUsage: (usage: unknown) => void,
): TransformStream<Part, Part> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "finish" && "usage" in part) onUsage(part.usage);
      controller.enqueue(part);
    },
  });
}
