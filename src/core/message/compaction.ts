import { isCompactionBlock } from "./compaction-block.ts";
import { renderMessage } from "./effective-view.ts";
import type { Message } from "./message.ts";

/** Whether the view shows a provider's compaction in this message. */
export function showsCompaction(message: Message): boolean {
  const { content } = renderMessage(message);
  return typeof content !== "string" && content.some(isCompactionBlock);
}

/** Whether a message stays visible as long as anything else can be hidden: a person marked it, or it holds a compaction that no summary of ours can replace. */
export function isPinned(message: Message): boolean {
  return message.important === true || showsCompaction(message);
}

/** Whether a stand-in is only an account of what a provider compacted: the provider itself is never sent it. */
export function isCompactionAccount({ compaction }: Message): boolean {
  return compaction !== undefined;
}
