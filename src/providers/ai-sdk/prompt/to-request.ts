import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { PalimpsestError } from "../../../core/errors.ts";
import type {
  KnownBlock,
  Message,
  ReasoningBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../../../core/message/message.ts";
import type { ModelEntry } from "../../../core/models/model-entry.ts";
import type { ToolSpecification } from "../../../core/ports/model-handler.ts";
import { wellFormed } from "../../../core/text/well-formed.ts";
import { serialize } from "../../../core/tokens/serialize.ts";
import type { Provider } from "../provider-table.ts";
import { writeSeals } from "../seals.ts";
import { assistantContent, imagePart, knownBlocks, resultContent, resultText, userContent } from "./to-parts.ts";
import { calledTools, offeredTools, toolName } from "./tools.ts";

interface RequestOptions {
  readonly provider: Provider;
  readonly entry: ModelEntry;
  /** The tools that the model may call, by the names that are sent. @default none */
  readonly tools?: ReadonlyMap<string, ToolSpecification>;
}

type Request = Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice">;

/** The request for the provider's package: the conversation, and the tools that may be called. */
export function toRequest(
  systemPrompt: string,
  messages: readonly Message[],
  { provider, entry, tools = new Map() }: RequestOptions,
): Request {
  const pairs = withWholePairs(toTurns(messages, keepsReasoning(provider, entry)));
  const turns = startingWithUser(withRequiredReasoning(pairs, provider, entry));
  const prompt: LanguageModelV4Prompt = /\S/.test(systemPrompt)
    ? [{ role: "system", content: wellFormed(systemPrompt) }]
    : [];
  const names = new Map<string, string>();
  for (const { role, blocks } of turns) {
    for (const block of blocks) if (block.type === "tool_use") names.set(block.id, toolName(block.name));
    if (role === "assistant") prompt.push({ role, content: assistantContent(blocks, provider.seals) });
    else prompt.push(...userMessages(blocks, names, provider));
  }
  if (tools.size > 0) return { prompt, tools: offeredTools(tools) };
  if (!provider.wantsToolDefinitions || names.size === 0) return { prompt };
  return { prompt, tools: calledTools(new Set(names.values())), toolChoice: { type: "none" } };
}

function userMessages(
  blocks: Turn["blocks"],
  names: ReadonlyMap<string, string>,
  provider: Provider,
): readonly LanguageModelV4Message[] {
  const results = resultContent(blocks, names, provider.takesResultImages);
  const rest = userContent(blocks);
  return [
    ...(results.length > 0 ? [{ role: "tool", content: results } as const] : []),
    ...(rest.length > 0 ? [{ role: "user", content: rest } as const] : []),
  ];
}

// The messages to condense may begin with an earlier summary, which is a message of the assistant.
function startingWithUser(turns: readonly Turn[]): readonly Turn[] {
  const [first] = turns;
  if (first === undefined) {
    throw new PalimpsestError(
      "invalid-argument",
      "messages hold nothing to send; give at least one text, image or tool call.",
    );
  }
  if (first.role === "user") return turns;
  return [{ role: "user", blocks: [{ type: "text", text: "[The conversation before this is not shown.]" }] }, ...turns];
}

/** Returns a predicate for the reasoning blocks that are sent back to this model. */
function keepsReasoning({ reasoningBack, seals }: Provider, entry: ModelEntry): (block: ReasoningBlock) => boolean {
  switch (reasoningBack) {
    case "sealed":
      return (block) => seals !== undefined && writeSeals(block, seals) !== undefined;
    case "all":
      return (block) => block.text !== "";
    case "where-required":
      return (block) => entry.requiresReasoningBack && block.text !== "";
    case "none":
      return () => false;
  }
}

/** Adds a placeholder for reasoning to turns with tool calls of another model, where this model refuses them without. */
function withRequiredReasoning(
  turns: readonly Turn[],
  { reasoningBack }: Provider,
  entry: ModelEntry,
): readonly Turn[] {
  // the packages of other providers add it themselves
  if (reasoningBack !== "where-required" || !entry.requiresReasoningBack) return turns;
  return turns.map((turn) => {
    const has = (type: string) => turn.blocks.some((block) => block.type === type);
    if (!has("tool_use") || has("reasoning")) return turn;
    return { ...turn, blocks: [{ type: "reasoning", text: "(no reasoning was kept)" }, ...turn.blocks] };
  });
}

/**
 * Replaces a call without a result in the next turn, and a result without a call in the turn before, by text: every provider
 * refuses half a pair, and logs of interrupted work have some.
 */
function withWholePairs(turns: readonly Turn[]): readonly Turn[] {
  const usedIds = new Set<string>();
  let openIds: ReadonlySet<string> = new Set();
  return turns.map((turn, index) => {
    if (turn.role === "assistant") openIds = pairedIds(turn, turns[index + 1], usedIds);
    const pending = new Set(openIds);
    const blocks = turn.blocks.map((block): KnownBlock => {
      if (block.type === "tool_use") return pending.delete(block.id) ? block : callAsText(block);
      if (block.type === "tool_result") return pending.delete(block.tool_use_id) ? block : resultAsText(block);
      return block;
    });
    return { role: turn.role, blocks };
  });
}

function pairedIds(turn: Turn, next: Turn | undefined, usedIds: Set<string>): ReadonlySet<string> {
  const answeredIds = new Set(
    next?.blocks.map((block) => (block.type === "tool_result" ? block.tool_use_id : undefined)),
  );
  const paired = new Set<string>();
  for (const block of turn.blocks) {
    if (block.type !== "tool_use" || usedIds.has(block.id) || !answeredIds.has(block.id)) continue;
    usedIds.add(block.id);
    paired.add(block.id);
  }
  return paired;
}

function callAsText({ name, input }: ToolUseBlock): TextBlock {
  return { type: "text", text: `[A call of the tool ${name} that has no result: ${serialize(input)}]` };
}

function resultAsText(block: ToolResultBlock): TextBlock {
  return { type: "text", text: `[The result of a tool call that is not shown: ${resultText(block)}]` };
}

/** Neighbouring messages of one role, as one: strict chat templates refuse two turns of one role in a row. */
interface Turn {
  readonly role: Message["role"];
  readonly blocks: readonly KnownBlock[];
}

/** The messages as alternating, non-empty turns, with only the blocks that can be sent. */
function toTurns(messages: readonly Message[], keeps: (block: ReasoningBlock) => boolean): readonly Turn[] {
  const turns = messages.map(({ role, content }) => ({
    role,
    blocks: knownBlocks(content).filter((block) => canSend(block, role, keeps)),
  }));
  const whole = joinNeighbours(turns).map(withoutReasoningAtEnd);
  return joinNeighbours(whole.filter(({ blocks }) => blocks.length > 0));
}

function canSend(block: KnownBlock, role: Message["role"], keeps: (block: ReasoningBlock) => boolean): boolean {
  switch (block.type) {
    case "text":
      return /\S/.test(block.text);
    case "image":
      return role === "user" && imagePart(block.source) !== undefined;
    case "tool_result":
      return role === "user";
    case "tool_use":
      return role === "assistant";
    case "reasoning":
      return role === "assistant" && keeps(block);
  }
}

function joinNeighbours(turns: readonly Turn[]): readonly Turn[] {
  const joined: { role: Turn["role"]; blocks: KnownBlock[] }[] = [];
  for (const { role, blocks } of turns) {
    const last = joined.at(-1);
    if (last?.role === role) for (const block of blocks) last.blocks.push(block);
    else joined.push({ role, blocks: [...blocks] });
  }
  return joined;
}

// Providers refuse reasoning that nothing follows.
function withoutReasoningAtEnd({ role, blocks }: Turn): Turn {
  return { role, blocks: blocks.slice(0, blocks.findLastIndex(({ type }) => type !== "reasoning") + 1) };
}
