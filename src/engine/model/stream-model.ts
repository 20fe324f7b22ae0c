import type { Message } from "../../core/message/message.ts";
import type { ModelHandler, ToolSpecification } from "../../core/ports/model-handler.ts";
import { timerMs } from "../time-limit.ts";

/** One request to a model. */
export interface ModelRequest {
  readonly handler: ModelHandler;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  /** What the model may call. @default nothing */
  readonly tools?: readonly ToolSpecification[] | undefined;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A reply that does not end is given up: a hostile or broken stream must not fill the memory. */
const MAX_REPLY_CHARACTERS = 2_000_000;
const MAX_CHUNKS = 200_000;

/**
 * Asks a model and hands every chunk of its reply to `take`, which tells how many characters it holds by then. Waits no longer than
 * `timeoutMs`, and asks nobody once `signal` is aborted. Rejects with whatever went wrong.
 */
export async function streamModel(request: ModelRequest, take: (chunk: unknown) => number): Promise<void> {
  const { handler, systemPrompt, messages, tools, maxOutputTokens, temperature } = request;
  const deadline = createDeadline(request);
  let iterator: AsyncIterator<unknown> | undefined;
  try {
    deadline.signal.throwIfAborted();
    const call = { signal: deadline.signal, maxOutputTokens, temperature, ...(tools === undefined ? {} : { tools }) };
    // Some handlers promise their stream.
    const stream = await Promise.race([handler.createMessage(systemPrompt, messages, call), deadline.passed]);
    iterator = openStream(stream);
    for (let chunks = 0; ; chunks++) {
      const { done, value } = await Promise.race([iterator.next(), deadline.passed]);
      if (done === true) break;
      if (take(value) > MAX_REPLY_CHARACTERS || chunks > MAX_CHUNKS) throw new Error("The reply does not end.");
    }
  } catch (error) {
    deadline.giveUp();
    leave(iterator);
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

/** Tells a stream that nobody reads on. Not awaited: one that hangs may hang here too. */
async function leave(iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // It is given up already.
  }
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Never resolves; rejects when the time is up, or when the caller gives up. */
  readonly passed: Promise<never>;
  giveUp(): void;
  clear(): void;
}

function createDeadline({ timeoutMs, signal }: ModelRequest): Deadline {
  const controller = new AbortController();
  const passed = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
  });
  passed.catch(() => undefined);
  const giveUp = () => controller.abort(new Error("The request was aborted."));
  const timer = setTimeout(
    () => controller.abort(new Error(`The model took longer than ${timeoutMs} ms to reply.`)),
    timerMs(timeoutMs),
  );
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted === true) giveUp();
  return {
    signal: controller.signal,
    passed,
    giveUp,
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    },
  };
}
