import { isCompactionAccount } from "../../core/message/compaction.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import { type Block, isKnownBlock, type Message, type TextBlock } from "../../core/message/message.ts";
import { repairView } from "../../core/message/repair-view.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";

/** Where a block stands. */
export interface BlockPlace {
  readonly role: Message["role"];
  /** Whether it is part of what a tool returned. */
  readonly isInResult: boolean;
}

/** A block as a wire can say it, still in our model; undefined where it is left out. Results come with their content shown already. */
export type ShowBlock = (block: Block, place: BlockPlace) => Block | undefined;

const NO_RESULT_YET = "[No result yet: the call was made, and nothing has answered it.]";

/**
 * What a wire is given to write: role and content alone, of the messages that no fold hides, in an order that every provider takes. All calls
 * are answered, also those of the last turn, as a prompt that ends with an open call is refused.
 */
export function sendableMessages(messages: readonly Message[], show: ShowBlock): readonly Message[] {
  // An account of what a provider compacted is for us alone: nothing may stand before the compaction.
  const sent = effectiveView(messages).filter((message) => !isCompactionAccount(message));
  const shown = sent.map((message) => showMessage(message, show));
  return answerLastCalls(repairView(shown));
}

/** One message as a wire can say it. */
export function showMessage({ role, content }: Message, show: ShowBlock): Message {
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

/** A turn of which only thoughts were said says them: an empty one is refused. */
function thoughtsAsText(content: readonly Block[]): readonly Block[] {
  return content.flatMap((block): readonly TextBlock[] => {
    const isSaid = isKnownBlock(block) && block.type === "reasoning" && /\S/.test(block.text);
    return isSaid ? [{ type: "text", text: block.text }] : [];
  });
}

function answerLastCalls(messages: readonly Message[]): readonly Message[] {
  const lastOther = messages.findLastIndex(({ role }) => role === "user");
  const calls = messages.slice(lastOther + 1).flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  if (calls.length === 0) return messages;
  const results = calls.map(
    ({ id }): Block => ({ type: "tool_result", tool_use_id: id, content: NO_RESULT_YET, is_error: true }),
  );
  return [...messages, { role: "user", content: results }];
}
