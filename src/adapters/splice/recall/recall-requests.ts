import { assert } from "../../../core/assert.ts";
import { sliceListAt } from "../../../core/json/json-slices.ts";
import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asRecord } from "../../../core/json/read-json.ts";
import type { RecalledReply } from "../../../core/ports/wire-recall.ts";
import { sliceBody } from "../body-slices.ts";
import type { Conversation, Grouping } from "../conversation.ts";
import type { RecallDescription, WireDescription } from "../wire-description.ts";

type ListDescription = Pick<WireDescription<Grouping, unknown>, "findList" | "withList">;

/** The body with more items at the end of its list. */
export function extendList(description: ListDescription, body: string, items: readonly string[]): string {
  const list = description.findList(asRecord(tryParseJson(body)) ?? {}, "generate");
  assert(list !== undefined, "body", body.slice(0, 80), "one with a conversation");
  const text = description.withList?.(body, list) ?? body;
  const found = sliceListAt(text, list.path);
  assert(found !== undefined, "body", body.slice(0, 80), "one with a list");
  const end = found.items.at(-1)?.end ?? found.slice.start + 1;
  return `${text.slice(0, end)}${found.items.length === 0 ? "" : ","}${items.join(",")}${text.slice(end)}`;
}

/** The body of a conversation with what was really said in place of some of its messages. */
export function expandMessages(
  { withList, recall }: Pick<ListDescription, "withList"> & { readonly recall: RecallDescription },
  conversation: Conversation,
  replies: ReadonlyMap<number, RecalledReply>,
): string {
  const { raw, path, groups, items } = conversation;
  const slices = sliceBody(withList?.(raw.body, conversation) ?? raw.body, path);
  const texts = new Map<number, string>();
  for (const [index, { items: said, results }] of replies) {
    // Some clients keep each piece of a streamed reply as a message.
    let next = index + 1;
    while (groups[next]?.message.role === "assistant") next++;
    const own = groups.slice(index, next).flatMap((group) => group.items.filter((item) => recall.isReply(items[item])));
    const [first = -1, ...others] = own;
    const besides = recall.addResults === undefined ? recall.results(results) : [];
    texts.set(first, [...said, ...besides].join(","));
    for (const item of others) texts.set(item, "");
    const [behind] = groups[next]?.items ?? [];
    if (results.length === 0 || recall.addResults === undefined || behind === undefined) continue;
    texts.set(behind, recall.addResults(slices.itemText(behind), results));
  }
  const written = slices.items.map((_, item) => texts.get(item) ?? slices.itemText(item)).filter((text) => text !== "");
  const [start = 0, end = 0] = [slices.items.at(0)?.start, slices.items.at(-1)?.end];
  return `${slices.body.slice(0, start)}${written.join(",")}${slices.body.slice(end)}`;
}
