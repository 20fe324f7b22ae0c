import { asRecord } from "../../core/json/read-json.ts";
import type { Content, Message } from "../../core/message/message.ts";
import { type ReadItem, readItem } from "../../messages/openai-responses/read-item.ts";
import { blocksOf } from "../../messages/shared/join-turns.ts";
import { wireItem } from "./wire-item.ts";

/** A message, and the items that it was read from. */
export interface ItemGroup {
  readonly message: Message;
  /** For each block of the message the place of its item in the list. */
  readonly places: readonly number[];
}

interface Draft {
  readonly type: ReadItem["type"];
  readonly contents: { readonly content: Content; readonly place: number }[];
  /** Where the outputs of its calls go: the message right after it. */
  answers?: Draft;
}

/** Items of the SDK's as messages: all that the model said in one go is one, the outputs of its calls are the next. */
export function readItems(items: readonly object[]): readonly ItemGroup[] {
  const drafts: Draft[] = [];
  const callers = new Map<string, Draft>();
  let current: Draft | undefined;
  for (const [place, item] of items.entries()) {
    const read = readItem(wireItem(asRecord(item) ?? {}), `input[${place}]`);
    const caller = read.type === "result" ? callers.get(read.callId) : undefined;
    if (caller !== undefined) {
      caller.answers ??= { type: "result", contents: [] };
      current = caller.answers;
    } else if (current === undefined || read.type === "user" || current.type !== read.type) {
      current = { type: read.type, contents: [] };
      drafts.push(current);
    }
    current.contents.push({ content: read.type === "result" ? [read.block] : read.content, place });
    if (read.type === "reply" && read.callId !== undefined) callers.set(read.callId, current);
  }
  return drafts.flatMap((draft) => [close(draft), ...(draft.answers === undefined ? [] : [close(draft.answers)])]);
}

function close({ type, contents }: Draft): ItemGroup {
  const role = type === "reply" ? "assistant" : "user";
  const [first, ...others] = contents;
  if (first !== undefined && others.length === 0 && typeof first.content === "string") {
    return { message: { role, content: first.content }, places: [first.place] };
  }
  const parts = contents.flatMap(({ content, place }) =>
    blocksOf({ role, content }).map((block) => ({ block, place })),
  );
  return {
    message: { role, content: parts.map(({ block }) => block) },
    places: parts.map(({ place }) => place),
  };
}
