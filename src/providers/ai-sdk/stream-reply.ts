import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4FinishReason } from "@ai-sdk/provider";
import type { ModelChunk } from "../../core/ports/model-handler.ts";
import { Interruption } from "./describe-failure.ts";
import { type Pricing, usageChunk } from "./usage-chunk.ts";

interface ReplyOptions {
  readonly request: LanguageModelV4CallOptions;
  readonly pricing: Pricing;
  readonly signal: AbortSignal | undefined;
}

/** Asks once. Throws what the package throws, and where the reply is not whole. */
export async function* streamReply(
  model: LanguageModelV4,
  { request, pricing, signal }: ReplyOptions,
): AsyncGenerator<ModelChunk> {
  // closes the connection also when whoever reads stops early
  const left = new AbortController();
  const abortSignal = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
  let hasText = false;
  try {
    const { stream } = await model.doStream({ ...request, abortSignal });
    for await (const part of stream) {
      if (part.type === "text-delta" && part.delta !== "") {
        hasText = true;
        yield { type: "text", text: part.delta };
      }
      if (part.type === "reasoning-delta" && part.delta !== "") yield { type: "reasoning", text: part.delta };
      if (part.type === "error") throw hasNoEnd(part.error) ? new Interruption(CUT_SHORT) : part.error;
      if (part.type === "finish") {
        demandEnd(part.finishReason);
        const usage = usageChunk(part.usage, pricing);
        if (usage !== undefined) yield usage;
        demandWhole(part.finishReason, hasText);
        return;
      }
    }
    throw new Interruption(CUT_SHORT);
  } finally {
    left.abort();
  }
}

const CUT_SHORT = "the reply ended before it was complete";

// How the package for compatible servers says it.
function hasNoEnd(error: unknown): boolean {
  return error instanceof Error && error.name === "AI_InvalidResponseDataError" && /finish reason/.test(error.message);
}

function demandEnd({ unified, raw }: LanguageModelV4FinishReason): void {
  // not all packages know an interruption: some then say "other", without the provider's own reason
  if (unified === "interrupted" || (unified === "other" && raw === undefined)) {
    throw new Interruption(CUT_SHORT);
  }
}

// Comes after the usage: what was generated has been paid for.
function demandWhole({ unified, raw }: LanguageModelV4FinishReason, hasText: boolean): void {
  if (unified === "error") throw new Error(`the reply ended with an error (${raw ?? "no reason given"})`);
  if (unified === "content-filter") throw new Error(`the provider stopped the reply (${raw ?? "content filter"})`);
  if (unified === "length" && !hasText) {
    throw new Error("all output tokens were used up before the reply began; allow more with maxOutputTokens");
  }
}
