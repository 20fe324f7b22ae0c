import { fieldAt } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock } from "../../core/message/message.ts";
import { itemIdOf } from "./item-ids.ts";

/** The blocks of a reply that are one item of the API. */
export interface ReplyItem {
  readonly type: "reasoning" | "said";
  /** The item's id, if the API gave it one. */
  readonly id: string | undefined;
  /** The id of the item before it in the reply; null for the first item, undefined if it is not known. */
  readonly follows: string | null | undefined;
  readonly blocks: readonly Block[];
}

/**
 * The items of a reply in the order to write them: reasoning comes right before the item that it led to, also if other items now stand between
 * them, such as the text of a summary. Reasoning that no item follows is left out.
 */
export function arrangeReply(blocks: readonly Block[]): readonly ReplyItem[] {
  const items = itemsOf(blocks);
  const led = new Map<ReplyItem, readonly ReplyItem[]>();
  for (const [index, item] of items.entries()) {
    if (item.type === "said" || items[index - 1]?.type === "reasoning") continue;
    const end = items.findIndex((other, place) => place > index && other.type === "said");
    const thoughts = items.slice(index, end);
    const target = end < 0 ? undefined : targetOf(thoughts, items.slice(end));
    if (target !== undefined) led.set(target, thoughts);
  }
  return items
    .filter(({ type }) => type === "said")
    .flatMap((item) => {
      const thoughts = led.get(item);
      const lastId = thoughts?.at(-1)?.id;
      if (thoughts === undefined || lastId === undefined) return [item];
      // Items that the gateway read do not have `follows`: there the item right behind its reasoning follows it.
      const isNext = items[items.indexOf(item) - 1] === thoughts.at(-1);
      return [...thoughts, item.follows === undefined && isNext ? { ...item, follows: lastId } : item];
    });
}

/** The item that the reasoning led to: the one that follows it by its id, or else the next one with an id, or else the next one. */
function targetOf(thoughts: readonly ReplyItem[], later: readonly ReplyItem[]): ReplyItem | undefined {
  const lastId = thoughts.at(-1)?.id;
  const said = later.filter(({ type }) => type === "said");
  return said.find(({ follows }) => follows === lastId) ?? said.find(({ id }) => id !== undefined) ?? said[0];
}

/** One item for each block; texts of the same message are one item. */
function itemsOf(blocks: readonly Block[]): readonly ReplyItem[] {
  const items: (ReplyItem & { readonly blocks: Block[] })[] = [];
  let messageId: string | undefined;
  for (const block of blocks) {
    const isText = isKnownBlock(block) && block.type === "text";
    const type = block.type === "reasoning" ? "reasoning" : "said";
    const id = itemIdOf(block);
    const isSame = isText && id !== undefined && id === messageId;
    if (isSame) items.at(-1)?.blocks.push(block);
    else items.push({ type, id, follows: type === "reasoning" ? null : followsOf(block), blocks: [block] });
    messageId = isText ? id : undefined;
  }
  return items;
}

function followsOf(block: Block): string | null | undefined {
  const follows = fieldAt(block, "follows");
  return follows === null || typeof follows === "string" ? follows : undefined;
}
