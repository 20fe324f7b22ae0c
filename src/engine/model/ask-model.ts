import { describeError } from "../../core/describe-error.ts";
import type { Message } from "../../core/message/message.ts";
import { priceOf } from "../../core/models/price.ts";
import { findModel } from "../../core/models/registry.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { timerMs } from "../time-limit.ts";
import { handlerModel } from "./handler-model.ts";

/** One request to a model. */
export interface ModelRequest {
  readonly handler: ModelHandler;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly temperature: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What came back. Trouble with a model is expected: it is an answer, never an exception. */
export type ModelReply =
  | {
      readonly type: "reply";
      readonly text: string;
      /** Tokens of the text as reported; 0 where that is not known. */
      readonly outputTokens: number;
      readonly costUsd: number;
    }
  | { readonly type: "failed"; readonly error: string; readonly costUsd: number };

/** A reply that does not end is given up: a hostile or broken stream must not fill the memory. */
const MAX_REPLY_CHARACTERS = 2_000_000;
const MAX_CHUNKS = 200_000;

/** Asks a model and waits for the whole reply, but no longer than `timeoutMs`. Nobody is asked once `signal` is aborted. */
export async function askModel(request: ModelRequest): Promise<ModelReply> {
  const { handler, systemPrompt, messages, maxOutputTokens, temperature } = request;
  const tally = createTally(handler);
  const deadline = createDeadline(request);
  let iterator: AsyncIterator<unknown> | undefined;
  try {
    deadline.signal.throwIfAborted();
    const call = { signal: deadline.signal, maxOutputTokens, temperature };
    // Some handlers promise their stream.
    const stream = await Promise.race([handler.createMessage(systemPrompt, messages, call), deadline.passed]);
    iterator = openStream(stream);
    for (let chunks = 0; ; chunks++) {
      const { done, value } = await Promise.race([iterator.next(), deadline.passed]);
      if (done === true) break;
      tally.add(value);
      if (tally.text().length > MAX_REPLY_CHARACTERS || chunks > MAX_CHUNKS) throw new Error("The reply does not end.");
    }
  } catch (error) {
    deadline.giveUp();
    leave(iterator);
    return { type: "failed", error: describeError(error), costUsd: tally.costUsd() };
  } finally {
    deadline.clear();
  }
  const text = tally.text().trim();
  if (text === "") return { type: "failed", error: "The model replied with no text.", costUsd: tally.costUsd() };
  return { type: "reply", text, outputTokens: tally.outputTokens(), costUsd: tally.costUsd() };
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

interface Tally {
  add(chunk: unknown): void;
  text(): string;
  outputTokens(): number;
  costUsd(): number;
}

/** Adds up a stream; takes nothing for granted, for handlers are other people's code. */
function createTally(handler: ModelHandler): Tally {
  let text = "";
  let outputTokens = 0;
  let hasReasoning = false;
  let costUsd = 0;
  const model = findModel(handlerModel(handler).id);

  function addUsage(chunk: object): void {
    const amount = (field: string) => {
      const value: unknown = Reflect.get(chunk, field);
      return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
    };
    const usage = {
      inputTokens: amount("inputTokens"),
      outputTokens: amount("outputTokens"),
      cacheReadTokens: amount("cacheReadTokens"),
      cacheWriteTokens: amount("cacheWriteTokens"),
    };
    outputTokens += usage.outputTokens;
    const isPriced = "totalCost" in chunk && Number.isFinite(chunk.totalCost);
    costUsd += isPriced ? amount("totalCost") : (priceOf(model, usage) ?? 0);
  }

  return {
    add: (chunk) => {
      if (typeof chunk !== "object" || chunk === null || !("type" in chunk)) return;
      if (chunk.type === "text" && "text" in chunk && typeof chunk.text === "string") text += chunk.text;
      if (chunk.type === "reasoning") hasReasoning = true;
      if (chunk.type === "usage") addUsage(chunk);
    },
    text: () => text,
    // What was thought counts as output too, but is no part of the reply.
    outputTokens: () => (hasReasoning ? 0 : outputTokens),
    costUsd: () => costUsd,
  };
}
