import type { Block, Message } from "../../core/message/message.ts";
import type { CompactionEntry, RequestUsage, TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import { stamped } from "../../core/transcript/transcript-draft.ts";
import type { ReadItem } from "./read-item.ts";

/** The id and time of an item. */
export interface ItemSource {
  readonly id: string;
  readonly ts: number | undefined;
  /** The id of the item's message, which items that `writeCodex` wrote have. */
  readonly messageId?: string | undefined;
}

/** Groups items into messages: the items of one reply of the model become one message. */
export interface ItemCollector {
  add(item: ReadItem, source: ItemSource): void;
  /** Adds text that the person typed, from an event of the interface. It is dropped if an item has the same text. */
  addTyped(text: string, source: ItemSource): void;
  /** Sets the usage of the last reply, and ends it. */
  addUsage(usage: RequestUsage): void;
  addCompaction(compaction: Omit<CompactionEntry, "type">): void;
  finish(): readonly TranscriptEntry[];
}

interface OpenMessage {
  readonly type: "message";
  readonly role: Message["role"];
  readonly source: ItemSource;
  readonly blocks: Block[];
  readonly sourceRole: string | undefined;
  readonly typedText?: string;
  usage?: RequestUsage;
}

export function createItemCollector(): ItemCollector {
  const slots: (OpenMessage | CompactionEntry)[] = [];
  const userTexts = new Set<string>();
  let last: OpenMessage | undefined;
  let lastReply: OpenMessage | undefined;
  let isReplyOpen = false;

  const messageFor = (role: Message["role"], source: ItemSource, sourceRole?: string): OpenMessage => {
    const joinsLast = source.messageId === undefined ? isReplyOpen : source.messageId === last?.source.messageId;
    if (joinsLast && last?.role === role) return last;
    const message: OpenMessage = { type: "message", role, source, blocks: [], sourceRole };
    slots.push(message);
    return message;
  };

  return {
    add(item, source) {
      if (item.type === "hidden" || item.type === "broken") return;
      if (item.type === "reply") {
        last = lastReply = messageFor("assistant", source);
        isReplyOpen = true;
      } else {
        isReplyOpen = false;
        last = messageFor("user", source, item.sourceRole);
        const texts = item.blocks.filter(isText).map(({ text }) => text);
        for (const text of [...texts, texts.join("\n"), texts.join("")]) userTexts.add(text.trim());
      }
      for (const block of item.blocks) last.blocks.push(block);
    },
    addTyped(text, source) {
      const blocks: Block[] = [{ type: "text", text }];
      slots.push({ type: "message", role: "user", source, blocks, sourceRole: undefined, typedText: text.trim() });
    },
    addUsage(usage) {
      if (lastReply !== undefined) lastReply.usage = usage;
      isReplyOpen = false;
    },
    addCompaction(compaction) {
      slots.push({ type: "compaction", ...compaction });
      last = undefined;
      isReplyOpen = false;
    },
    finish: () =>
      slots
        .filter((slot) => slot.type === "compaction" || slot.typedText === undefined || !userTexts.has(slot.typedText))
        .map((slot) => (slot.type === "compaction" ? slot : entryOf(slot))),
  };
}

function isText(block: Block): block is Block & { readonly text: string } {
  return block.type === "text" && "text" in block && typeof block.text === "string";
}

function entryOf({ role, source, blocks, sourceRole, usage }: OpenMessage): TranscriptEntry {
  const message = stamped(role, blocks, { id: source.messageId ?? source.id, ts: source.ts });
  return { type: "message", message: sourceRole === undefined ? message : withSourceRole(message, sourceRole), usage };
}

function withSourceRole(message: Message, sourceRole: string): Message {
  const fields = { sourceRole };
  return { ...message, ...fields };
}
