import type { Message } from "../../core/message/message.ts";
import type { ModelHandler, ToolSpecification } from "../../core/ports/model-handler.ts";
import { timerMs } from "../time-limit.ts";

/** One request to a model. */
export interface ModelRequest {
  readonly handler: ModelHandler;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  /** The tools that the model may call. @default none */
  readonly tools?: readonly ToolSpecification[] | undefined;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The longest reply that is read: a hostile or broken stream must not fill the memory. */
const MAX_REPLY_CHARACTERS = 2_000_000;
const MAX_CHUNKS = 200_000;

/**
 * Asks a model and passes every chunk of its reply to `take`, which returns how many characters it has collected. Rejects with the error of the model,
 * after `timeoutMs`, and when `signal` is aborted.
 */
export async function streamModel(request: ModelRequest, take: (chunk: unknown) => number): Promise<void> {
  const { handler, systemPrompt, messages, tools, maxOutputTokens, temperature } = request;
  const deadline = createDeadline(request);
  let iterator: AsyncIterator<unknown> | undefined;
  try {
    deadline.signal.throwIfAborted();
    const call = { signal: deadline.signal, maxOutputTokens, temperature, ...(tools === undefined ? {} : { tools }) };
    // Some handlers return a promise of their stream.
    const stream = await Promise.race([handler.createMessage(systemPrompt, messages, call), deadline.passed]);
    iterator = openStream(stream);
    for (let chunks = 0; ; chunks++) {
      const { done, value } = await Promise.race([iterator.next(), deadline.passed]);
      if (done === true) break;
      if (take(value) > MAX_REPLY_CHARACTERS || chunks > MAX_CHUNKS) throw new Error("The reply does not end.");
    }
  } catch (error) {
    deadline.abort();
    closeStream(iterator);
    throw error;
  } finally {
    deadline.clear();
  }
}

function openStream(stream: AsyncIterable<unknown>): AsyncIterator<unknown> {
  const isStream = typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream;
  if (!isStream) throw new Error("The handler returned no stream of chunks.");
  return stream[Symbol.asyncIterator]();
}

/** Closes a stream that is not read to its end. Do not await it: a stream that hangs may hang here, too. */
async function closeStream(iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // Ignored: the reply has failed already.
  }
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Never resolves; rejects when the time is over, or the caller aborts. */
  readonly passed: Promise<never>;
  /** Aborts the signal, so that the handler stops its request. */
  abort(): void;
  clear(): void;
}

function createDeadline({ timeoutMs, signal }: ModelRequest): Deadline {
  const controller = new AbortController();
  const passed = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
  });
  passed.catch(() => undefined);
  const abort = () => controller.abort(new Error("The request was aborted."));
  const timer = setTimeout(
    () => controller.abort(new Error(`The model took longer than ${timeoutMs} ms to reply.`)),
    timerMs(timeoutMs),
  );
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  return {
    signal: controller.signal,
    passed,
    abort,
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}
