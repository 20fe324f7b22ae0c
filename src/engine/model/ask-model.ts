import { describeError } from "../../core/describe-error.ts";
import { priceOf } from "../../core/models/price.ts";
import { findModel } from "../../core/models/registry.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { handlerModel } from "./handler-model.ts";
import { type ModelRequest, streamModel } from "./stream-model.ts";

/** The outcome of a request to a model. A failure of the model is an outcome, never an exception. */
export type ModelReply =
  | {
      readonly type: "reply";
      readonly text: string;
      /** The reported tokens of the text; 0 where they are not known. */
      readonly outputTokens: number;
      readonly costUsd: number;
    }
  | { readonly type: "failed"; readonly error: string; readonly costUsd: number };

/** Asks a model and waits for the whole reply, up to `timeoutMs`. Fails at once where `signal` is aborted. */
export async function askModel(request: ModelRequest): Promise<ModelReply> {
  const tally = createTally(request.handler);
  try {
    await streamModel(request, (chunk) => {
      tally.add(chunk);
      return tally.text().length;
    });
  } catch (error) {
    return { type: "failed", error: describeError(error), costUsd: tally.costUsd() };
  }
  const text = tally.text().trim();
  if (text === "") return { type: "failed", error: "The model replied with no text.", costUsd: tally.costUsd() };
  return { type: "reply", text, outputTokens: tally.outputTokens(), costUsd: tally.costUsd() };
}

interface Tally {
  add(chunk: unknown): void;
  text(): string;
  outputTokens(): number;
  costUsd(): number;
}

/** Sums up the chunks of a stream, whose types are not trusted: handlers are a user's code. */
function createTally(handler: ModelHandler): Tally {
  let text = "";
  let outputTokens = 0;
  let hasReasoning = false;
  let costUsd = 0;
  const model = findModel(handlerModel(handler).id);

  function addUsage(chunk: object): void {
    const amount = (field: string) => amountOf(chunk, field);
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
      if (chunk.type === "reasoning" || chunk.type === "reasoning_block") hasReasoning = true;
      if (chunk.type === "usage") addUsage(chunk);
    },
    text: () => text,
    // The reported output tokens include reasoning, which is no part of the text.
    outputTokens: () => (hasReasoning ? 0 : outputTokens),
    costUsd: () => costUsd,
  };
}

/** A number in a chunk of usage, of which only positive ones count. */
export function amountOf(chunk: object, field: string): number {
  const value: unknown = Reflect.get(chunk, field);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
