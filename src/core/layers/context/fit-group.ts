import type { CountTokens } from "../../message/message.ts";
import { PRIORITIES } from "../layer-names.ts";
import { condenseItem, type Shorten } from "./condense-item.ts";
import { type ContextGroup, type ContextItem, itemTokens, itemXml } from "./context-item.ts";
import { closeTag, openTag, xmlElement } from "./xml.ts";

/** A group as it is shown. */
export interface FittedGroup {
  /** Empty where nothing of it is shown. */
  readonly xml: string;
  readonly tokens: number;
  /** Shown whole. */
  readonly wholeItems: number;
  readonly condensedItems: number;
  readonly omittedItems: number;
}

interface Room {
  readonly budgetTokens: number;
  readonly countTokens: CountTokens;
  readonly shorten?: Shorten | undefined;
}

/** Tokens of the whole group; 0 where it has no items. */
export function groupTokens({ tag, items }: ContextGroup, countTokens: CountTokens): number {
  if (items.length === 0) return 0;
  return frameTokens(tag, countTokens) + itemsTokens(items, countTokens);
}

/** Tokens of an element around others. */
export function frameTokens(tag: string, countTokens: CountTokens): number {
  return countTokens(`${openTag(tag)}\n`) + countTokens(closeTag(tag));
}

/** The whole group, whatever it takes. */
export function wholeGroup(group: ContextGroup, countTokens: CountTokens): FittedGroup {
  return {
    xml: group.items.length === 0 ? "" : framed(group.tag, group.items.map(itemXml)),
    tokens: groupTokens(group, countTokens),
    wholeItems: group.items.length,
    condensedItems: 0,
    omittedItems: 0,
  };
}

/**
 * As much of a group as the budget has room for: whole where it can be, else the items of the highest priority that fit, in
 * their order. A text that is too long itself is condensed to what the items after it do not need, and at least to half.
 */
export function fitGroup(group: ContextGroup, room: Room): FittedGroup {
  const { budgetTokens, countTokens } = room;
  const wholeTokens = groupTokens(group, countTokens);
  if (wholeTokens <= budgetTokens) return wholeGroup(group, countTokens);
  const most = noteXml(group.items.length, wholeTokens);
  const outerTokens = frameTokens(group.tag, countTokens) + countTokens(most);
  if (outerTokens > budgetTokens) {
    return { xml: "", tokens: 0, wholeItems: 0, condensedItems: 0, omittedItems: group.items.length };
  }
  const shown = chooseItems(group.items, { ...room, budgetTokens: budgetTokens - outerTokens });
  const omitted = group.items.filter((_, index) => !shown.has(index));
  const items = group.items.flatMap((_, index) => shown.get(index) ?? []);
  const note = omitted.length === 0 ? "" : noteXml(omitted.length, itemsTokens(omitted, countTokens));
  const wholeItems = group.items.filter((item, index) => shown.get(index) === item).length;
  return {
    xml: framed(group.tag, [...items.map(itemXml), note]),
    tokens:
      frameTokens(group.tag, countTokens) + itemsTokens(items, countTokens) + (note === "" ? 0 : countTokens(note)),
    wholeItems,
    condensedItems: items.length - wholeItems,
    omittedItems: omitted.length,
  };
}

/** What is shown, by place: the item itself, or its condensed form. */
function chooseItems(items: readonly ContextItem[], room: Room): ReadonlyMap<number, ContextItem> {
  const { countTokens, shorten } = room;
  const shown = new Map<number, ContextItem>();
  const byPriority = [...items.entries()].sort(
    ([, one], [, other]) => PRIORITIES[other.priority] - PRIORITIES[one.priority],
  );
  let left = room.budgetTokens;
  let laterTokens = itemsTokens(items, countTokens);
  for (const [index, item] of byPriority) {
    const tokens = itemTokens(item, countTokens);
    laterTokens -= tokens;
    const budgetTokens = Math.floor(Math.max(left / 2, left - laterTokens));
    const fitting = tokens <= left ? item : condenseItem(item, { budgetTokens, countTokens, shorten });
    if (fitting === undefined) continue;
    shown.set(index, fitting);
    left -= itemTokens(fitting, countTokens);
  }
  return shown;
}

function itemsTokens(items: readonly ContextItem[], countTokens: CountTokens): number {
  return items.reduce((sum, item) => sum + itemTokens(item, countTokens), 0);
}

function framed(tag: string, fragments: readonly string[]): string {
  return `${openTag(tag)}\n${fragments.join("")}${closeTag(tag)}`;
}

function noteXml(items: number, tokens: number): string {
  return xmlElement("left-out", { items, tokens: Math.ceil(tokens) }, "");
}
