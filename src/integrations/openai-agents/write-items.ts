import { asName, asRecord, fieldAt } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { blocksOf } from "../../messages/shared/join-turns.ts";
import { isSame } from "../shared/same-message.ts";
import type { ViewPlace } from "../shared/view-places.ts";
import type { ItemGroup } from "./read-items.ts";
import { rewriteItem, type ShownItem, writeStandIn } from "./rewrite-item.ts";

/** The items to send for a view. Items without folds are the SDK's own objects; without any fold, the list is as it was. */
export function writeItems(
  places: readonly ViewPlace[],
  groups: readonly ItemGroup[],
  items: readonly object[],
): readonly object[] {
  if (places.length === groups.length && places.every(({ type }) => type === "original")) return items;
  const turns = places.map((place) =>
    place.type === "stand-in" ? place.message : shownItems(place, groups[place.index], items),
  );
  const nativeIds = foldedNativeIds(turns.flatMap((turn) => ("role" in turn ? [] : turn)));
  return turns.flatMap((turn) => ("role" in turn ? writeStandIn(turn) : writeTurn(turn, nativeIds)));
}

function shownItems(
  place: Exclude<ViewPlace, { readonly type: "stand-in" }>,
  group: ItemGroup | undefined,
  items: readonly object[],
): readonly ShownItem[] {
  if (group === undefined) return [];
  const allSaid = blocksOf(group.message);
  const allShown = place.type === "folded" ? blocksOf(place.shown) : allSaid;
  return [...new Set(group.places)].flatMap((index) => {
    const item = items[index];
    const isOwn = (_: Block, at: number) => group.places[at] === index;
    const said = allSaid.filter(isOwn);
    const shown = allShown.filter(isOwn);
    const isFolded = place.type === "folded" && !isSame(said, shown);
    return item === undefined ? [] : [{ item, said, shown, isFolded }];
  });
}

/** Calls of built-in tools of which one half is folded: the other half must be written as a function's too. */
function foldedNativeIds(turn: readonly ShownItem[]): ReadonlySet<string> {
  return new Set(
    turn.flatMap(({ item, shown, isFolded }) => {
      const isFunction = asName(fieldAt(item, "type"))?.startsWith("function_call") === true;
      return isFolded && !isFunction ? shown.flatMap(callIdOf) : [];
    }),
  );
}

function callIdOf(block: Block): readonly string[] {
  if (isToolUse(block)) return [block.id];
  return isToolResult(block) ? [block.tool_use_id] : [];
}

function writeTurn(turn: readonly ShownItem[], nativeIds: ReadonlySet<string>): readonly object[] {
  const lacksReasoning = turn.some(({ item, isFolded }) => isFolded && fieldAt(item, "type") === "reasoning");
  return turn.flatMap((shownItem) => {
    const isNative = shownItem.shown.flatMap(callIdOf).some((id) => nativeIds.has(id));
    const written = shownItem.isFolded || isNative ? rewriteItem(shownItem) : [shownItem.item];
    // The API refuses an item by its id without the reasoning that led to it.
    return lacksReasoning ? written.map(withoutId) : written;
  });
}

function withoutId(item: object): object {
  const { id: _, ...rest } = asRecord(item) ?? {};
  return rest;
}
