import { PRIORITIES } from "../layer-names.ts";
import { condenseItem, type Shorten } from "./condense-item.ts";
import { type ContextGroup, type ContextItem, itemText, itemTokens } from "./context-item.ts";
import type { Rendering } from "./context-syntax.ts";

/** A group as it is shown. */
export interface FittedGroup {
  /** Empty where no item is shown. */
  readonly text: string;
  readonly tokens: number;
  /** The number of items that are shown whole. */
  readonly wholeItems: number;
  readonly condensedItems: number;
  readonly omittedItems: number;
}

interface Room extends Rendering {
  readonly budgetTokens: number;
  readonly shorten?: Shorten | undefined;
}

/** The tags around elements: those of the whole context, of a layer, or of a kind of memory. */
export interface Frame {
  readonly tag: string;
  /** 1 is the outermost. */
  readonly depth: number;
}

function frameOf({ tag, layer }: ContextGroup): Frame {
  return { tag, depth: layer === "memory" ? 3 : 2 };
}

/** The tokens of a whole group; 0 where it has no items. */
export function groupTokens(group: ContextGroup, rendering: Rendering): number {
  if (group.items.length === 0) return 0;
  return frameTokens(frameOf(group), rendering) + itemsTokens(group.items, rendering);
}

/** The tokens of a frame itself. */
export function frameTokens({ tag, depth }: Frame, { syntax, countTokens }: Rendering): number {
  const [opening, closing] = [syntax.open(tag, depth), syntax.close(tag)];
  return countTokens(opening) + (closing === "" ? 0 : countTokens(closing));
}

/** Fragments with a frame around them. */
export function framed({ tag, depth }: Frame, fragments: readonly string[], { syntax }: Rendering): string {
  return `${syntax.open(tag, depth)}${fragments.join("")}${syntax.close(tag)}`;
}

/** The group with all its items, whatever its size. */
export function wholeGroup(group: ContextGroup, rendering: Rendering): FittedGroup {
  return {
    text: group.items.length === 0 ? "" : framed(frameOf(group), itemTexts(group.items, rendering), rendering),
    tokens: groupTokens(group, rendering),
    wholeItems: group.items.length,
    condensedItems: 0,
    omittedItems: 0,
  };
}

/**
 * Fits a group into the budget: all items if they fit, else those with the highest priority that do, in
 * their order. An item that is too long is condensed to the tokens that later items do not need, or to half of the rest if that is more.
 */
export function fitGroup(group: ContextGroup, room: Room): FittedGroup {
  const { budgetTokens, countTokens } = room;
  const wholeTokens = groupTokens(group, room);
  if (wholeTokens <= budgetTokens) return wholeGroup(group, room);
  const most = noteText(group.items.length, wholeTokens, room);
  const outerTokens = frameTokens(frameOf(group), room) + countTokens(most);
  if (outerTokens > budgetTokens) {
    return { text: "", tokens: 0, wholeItems: 0, condensedItems: 0, omittedItems: group.items.length };
  }
  const shown = chooseItems(group.items, { ...room, budgetTokens: budgetTokens - outerTokens });
  const omitted = group.items.filter((_, index) => !shown.has(index));
  const items = group.items.flatMap((_, index) => shown.get(index) ?? []);
  const note = omitted.length === 0 ? "" : noteText(omitted.length, itemsTokens(omitted, room), room);
  const wholeItems = group.items.filter((item, index) => shown.get(index) === item).length;
  return {
    text: framed(frameOf(group), [...itemTexts(items, room), note], room),
    tokens: frameTokens(frameOf(group), room) + itemsTokens(items, room) + (note === "" ? 0 : countTokens(note)),
    wholeItems,
    condensedItems: items.length - wholeItems,
    omittedItems: omitted.length,
  };
}

/** The items that are shown, whole or condensed, by their index. */
function chooseItems(items: readonly ContextItem[], room: Room): ReadonlyMap<number, ContextItem> {
  const shown = new Map<number, ContextItem>();
  const byPriority = [...items.entries()].sort(
    ([, one], [, other]) => PRIORITIES[other.priority] - PRIORITIES[one.priority],
  );
  let left = room.budgetTokens;
  let laterTokens = itemsTokens(items, room);
  for (const [index, item] of byPriority) {
    const tokens = itemTokens(item, room);
    laterTokens -= tokens;
    const budgetTokens = Math.floor(Math.max(left / 2, left - laterTokens));
    const fitting = tokens <= left ? item : condenseItem(item, { ...room, budgetTokens });
    if (fitting === undefined) continue;
    shown.set(index, fitting);
    left -= itemTokens(fitting, room);
  }
  return shown;
}

function itemsTokens(items: readonly ContextItem[], rendering: Rendering): number {
  return items.reduce((sum, item) => sum + itemTokens(item, rendering), 0);
}

function itemTexts(items: readonly ContextItem[], { syntax }: Rendering): readonly string[] {
  return items.map((item) => itemText(item, syntax));
}

function noteText(items: number, tokens: number, { syntax }: Rendering): string {
  return syntax.element("left-out", { items, tokens: Math.ceil(tokens) }, "");
}
