import { isCompactionAccount } from "../../core/message/compaction.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import { type Block, isKnownBlock, type Message, type TextBlock } from "../../core/message/message.ts";
import { repairView } from "../../core/message/repair-view.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { wellFormedValue } from "../../core/text/well-formed.ts";

/** Where a block stands in a conversation. */
export interface BlockPlace {
  readonly role: Message["role"];
  /** Whether it is part of a tool's result. */
  readonly isInResult: boolean;
}

/** Maps a block to one that a wire can hold, still in our model; undefined to leave it out. The content of a result is mapped before it. */
export type ShowBlock = (block: Block, place: BlockPlace) => Block | undefined;

const NO_RESULT_YET = "[No result yet: the call was made, and nothing has answered it.]";

/**
 * The messages that a converter writes: role and content of what no fold hides, in an order that every provider takes. Every call has a result,
 * also in the last turn, because providers refuse a prompt that ends with an open call.
 */
export function sendableMessages(messages: readonly Message[], show: ShowBlock): readonly Message[] {
  // The account of a provider's compaction is never sent: nothing may stand before the compaction itself.
  const sent = effectiveView(messages).filter((message) => !isCompactionAccount(message));
  const shown = sent.map((message) => showMessage(message, show));
  return answerLastCalls(repairView(shown));
}

/** One message with its blocks mapped to ones that a wire can hold, and with no half of a surrogate pair, for which every provider refuses a request. */
export function showMessage(message: Message, show: ShowBlock): Message {
  const { role } = message;
  const content = wellFormedValue(message.content);
  if (typeof content === "string") return { role, content };
  const blocks = content.flatMap((block) => showBlock(block, { role, isInResult: false }, show) ?? []);
  return { role, content: blocks.length === 0 ? thoughtsAsText(content) : blocks };
}

function showBlock(block: Block, place: BlockPlace, show: ShowBlock): Block | undefined {
  if (!isToolResult(block) || block.content === undefined || typeof block.content === "string") {
    return show(block, place);
  }
  const inner = { ...place, isInResult: true };
  return show({ ...block, content: block.content.flatMap((item) => showBlock(item, inner, show) ?? []) }, place);
}

/** The reasoning of a message as text, for a message of which nothing else is left: providers refuse an empty one. */
function thoughtsAsText(content: readonly Block[]): readonly Block[] {
  return content.flatMap((block): readonly TextBlock[] => {
    const hasThought = isKnownBlock(block) && block.type === "reasoning" && /\S/.test(block.text);
    return hasThought ? [{ type: "text", text: block.text }] : [];
  });
}

function answerLastCalls(messages: readonly Message[]): readonly Message[] {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const calls = messages.slice(lastUser + 1).flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  if (calls.length === 0) return messages;
  const results = calls.map(
    ({ id }): Block => ({ type: "tool_result", tool_use_id: id, content: NO_RESULT_YET, is_error: true }),
  );
  return [...messages, { role: "user", content: results }];
}
