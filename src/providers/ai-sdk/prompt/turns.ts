import type { KnownBlock, Message, ReasoningBlock } from "../../../core/message/message.ts";
import { imagePart } from "./image-part.ts";
import { knownBlocks } from "./known-blocks.ts";

/** Neighbouring messages of one role, as one: strict chat templates refuse two turns of one role in a row. */
export interface Turn {
  readonly role: Message["role"];
  readonly blocks: readonly KnownBlock[];
}

/** The messages as turns that alternate, none of them empty, with only what can be sent. */
export function toTurns(messages: readonly Message[], keeps: (block: ReasoningBlock) => boolean): readonly Turn[] {
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

// Reasoning that leads to nothing is refused, and alone it is no turn.
function withoutReasoningAtEnd({ role, blocks }: Turn): Turn {
  return { role, blocks: blocks.slice(0, blocks.findLastIndex(({ type }) => type !== "reasoning") + 1) };
}
