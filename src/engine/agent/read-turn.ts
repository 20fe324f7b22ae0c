import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Block, Message } from "../../core/message/message.ts";
import type { ModelEntry } from "../../core/models/model-entry.ts";
import { priceOf } from "../../core/models/price.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { ToolUseChunk } from "../../core/ports/model-handler.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { amountOf } from "../model/ask-model.ts";
import { handlerModel } from "../model/handler-model.ts";
import { type ModelRequest, streamModel } from "../model/stream-model.ts";

/** One reply of a model. */
export interface ModelTurn {
  /** The reply as it goes into the log: thoughts, text and calls in the order in which they came. */
  readonly message: Message;
  readonly text: string;
  readonly calls: readonly ToolUseChunk[];
  /** Undefined where the model reported none. */
  readonly usage: ReportedUsage | undefined;
  readonly costUsd: number;
}

/** Wraps an error of a handler that is no PalimpsestError; `cause` is the original. */
export class HandlerFailure extends PalimpsestError {
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super("model-failed", describeError(cause));
    this.cause = cause;
  }
}

/**
 * Asks a model and waits for its whole reply. Rejects with a PalimpsestError where the model fails or its reply is empty, and with the signal's reason
 * when aborted.
 */
export async function readTurn(request: ModelRequest, registry: ModelRegistry): Promise<ModelTurn> {
  const { handler, signal } = request;
  const reply = createReply(registry.find(handlerModel(handler).id));
  try {
    await streamModel(request, reply.take);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof PalimpsestError ? error : new HandlerFailure(error);
  }
  return reply.finish();
}

interface Reply {
  /** Adds a chunk; returns the number of characters so far. */
  take(chunk: unknown): number;
  finish(): ModelTurn;
}

function createReply(model: ModelEntry): Reply {
  const content = createReplyContent();
  const used = createUsageSum(model);
  let characters = 0;
  return {
    take: (chunk) => {
      if (!isChunk(chunk)) return characters;
      if (chunk.type === "usage") used.add(chunk);
      else content.add(chunk);
      characters += textOf(chunk).length;
      return characters;
    },
    finish: () => ({ ...content.finish(), ...used.sum() }),
  };
}

/** Collects the blocks of a reply. Consecutive pieces of text, or of reasoning, become one block. */
function createReplyContent() {
  const blocks: Block[] = [];
  const calls: ToolUseChunk[] = [];
  let text = "";
  let open = "";
  let thought = "";

  function closeText(): void {
    if (open !== "") blocks.push({ type: "text", text: open });
    text += open;
    open = "";
  }

  function closeThought(): void {
    if (thought !== "") blocks.push({ type: "reasoning", text: thought });
    thought = "";
  }

  function addCall(chunk: ToolUseChunk): void {
    const call = withOwnId(chunk, calls);
    calls.push(call);
    const { brokenInput: _, ...block } = call;
    blocks.push(block);
  }

  return {
    add: (chunk: Chunk): void => {
      switch (chunk.type) {
        case "text":
          closeThought();
          open += textOf(chunk);
          break;
        case "reasoning":
          closeText();
          thought += textOf(chunk);
          break;
        case "reasoning_block":
          closeText();
          // The block repeats the text of the pieces before it.
          thought = "";
          if ("block" in chunk && isReasoning(chunk.block)) blocks.push(chunk.block);
          break;
        case "tool_use":
          closeThought();
          closeText();
          if (isToolUse(chunk)) addCall(chunk);
          break;
      }
    },
    finish: (): Pick<ModelTurn, "message" | "text" | "calls"> => {
      closeThought();
      closeText();
      if (text.trim() === "" && calls.length === 0) {
        throw new PalimpsestError("model-failed", "The model replied with neither a text nor a call.");
      }
      const content = blocks.filter((block) => block.type !== "text" || textOf(block).trim() !== "");
      return { message: { role: "assistant", content }, text: text.trim(), calls };
    },
  };
}

/** The call with an id that no earlier call has: some models repeat ids, and providers refuse that in the next request. */
function withOwnId(chunk: ToolUseChunk, calls: readonly ToolUseChunk[]): ToolUseChunk {
  const twins = calls.filter(({ id }) => id === chunk.id || id.startsWith(`${chunk.id}-`)).length;
  return { ...chunk, id: twins === 0 ? chunk.id : `${chunk.id}-${twins + 1}`, input: chunk.input ?? {} };
}

/** Sums up the usage that the model reports, in one chunk or several, and its cost. */
function createUsageSum(model: ModelEntry) {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  let costUsd = 0;
  let isReported = false;
  return {
    add: (chunk: object): void => {
      isReported = true;
      const used = Object.keys(usage).map((field) => [field, amountOf(chunk, field)] as const);
      for (const [field, amount] of used) Reflect.set(usage, field, Number(Reflect.get(usage, field)) + amount);
      const isPriced = "totalCost" in chunk && Number.isFinite(chunk.totalCost);
      const { inputTokens = 0, outputTokens = 0, ...cached } = Object.fromEntries(used);
      costUsd += isPriced
        ? amountOf(chunk, "totalCost")
        : (priceOf(model, { inputTokens, outputTokens, ...cached }) ?? 0);
    },
    sum: (): Pick<ModelTurn, "usage" | "costUsd"> => ({ usage: isReported ? usage : undefined, costUsd }),
  };
}

interface Chunk {
  readonly type: string;
}

// Handlers are a user's code, so the types of chunks are checked.
function isChunk(value: unknown): value is Chunk {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function textOf(value: object): string {
  return "text" in value && typeof value.text === "string" ? value.text : "";
}

function isReasoning(value: unknown): value is Extract<Block, { readonly type: "reasoning" }> {
  return isChunk(value) && value.type === "reasoning" && "text" in value && typeof value.text === "string";
}

function isToolUse(chunk: object): chunk is ToolUseChunk {
  return (
    "id" in chunk &&
    typeof chunk.id === "string" &&
    chunk.id !== "" &&
    "name" in chunk &&
    typeof chunk.name === "string"
  );
}
