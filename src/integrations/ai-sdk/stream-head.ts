/** A part of a model's stream, as far as we use it. */
export interface AiSdkStreamPart {
  readonly type: string;
}

/** A stream of which the first content, or an error in its place, has been read. */
export interface OpenedStream<Part> {
  /** All parts of the stream, including those that were read already. */
  readonly stream: ReadableStream<Part>;
  /** The error that the stream began with instead of content; absent if it has content. */
  readonly failure?: { readonly error: unknown };
}

/** Parts that come before the first content. */
const OPENING: ReadonlySet<string> = new Set(["stream-start", "response-metadata", "raw"]);

/** Waits until a stream has content or an error: some providers open a stream first and report a refusal in it. */
export async function openStream<Part extends AiSdkStreamPart>(
  stream: ReadableStream<Part>,
): Promise<OpenedStream<Part>> {
  const reader = stream.getReader();
  const head: Part[] = [];
  let failure: OpenedStream<Part>["failure"];
  try {
    for (let isOpen = false; !isOpen; ) {
      const { done, value } = await reader.read();
      if (done) break;
      head.push(value);
      isOpen = !OPENING.has(value.type);
      if (value.type === "error" && "error" in value) failure = { error: value.error };
    }
  } catch {
    // The next read throws the same error, to the consumer of the stream.
  }
  return { stream: restored(head, reader), ...(failure !== undefined && { failure }) };
}

function restored<Part>(head: readonly Part[], reader: ReadableStreamDefaultReader<Part>): ReadableStream<Part> {
  const parts = head.values();
  return new ReadableStream({
    async pull(controller) {
      const headPart = parts.next();
      if (headPart.done !== true) return controller.enqueue(headPart.value);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Passes all parts on, and calls `onUsage` with the usage in the last. */
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
