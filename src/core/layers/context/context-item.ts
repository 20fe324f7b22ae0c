import type { CountTokens } from "../../message/message.ts";
import type { LayerName, MemoryKind } from "../layer-names.ts";
import type { PriorityName } from "../layered-state.ts";
import type { ContextAttributes, ContextSyntax, Rendering } from "./context-syntax.ts";

/** One element of the context. */
export interface ContextItem {
  readonly tag: string;
  readonly attributes: ContextAttributes;
  readonly text: string;
  /** Items with a higher priority are kept where there is no room for all. */
  readonly priority: PriorityName;
}

/** The items that share one budget: a layer, or one kind of memory. In the order in which they are shown. */
export interface ContextGroup {
  readonly layer: LayerName;
  readonly name: Exclude<LayerName, "memory"> | MemoryKind;
  readonly tag: string;
  readonly items: readonly ContextItem[];
}

interface ItemCache {
  readonly texts: WeakMap<ContextItem, string>;
  readonly tokensByCounter: WeakMap<CountTokens, WeakMap<ContextItem, number>>;
}

// Entries of a state, and the items made of them, are immutable, so that cached values stay valid.
const itemCaches = new WeakMap<ContextSyntax, ItemCache>();

function cacheOf(syntax: ContextSyntax): ItemCache {
  const cache = itemCaches.get(syntax) ?? { texts: new WeakMap(), tokensByCounter: new WeakMap() };
  itemCaches.set(syntax, cache);
  return cache;
}

/** Caches `make`, so that an entry always gives the same item. */
export function itemMaker<Entry extends object>(make: (entry: Entry) => ContextItem): (entry: Entry) => ContextItem {
  const items = new WeakMap<Entry, ContextItem>();
  return (entry) => {
    const item = items.get(entry) ?? make(entry);
    items.set(entry, item);
    return item;
  };
}

/** The item as text, with its line break. */
export function itemText(item: ContextItem, syntax: ContextSyntax): string {
  const { texts } = cacheOf(syntax);
  const cached = texts.get(item);
  if (cached !== undefined) return cached;
  const text = syntax.element(item.tag, item.attributes, item.text);
  texts.set(item, text);
  return text;
}

/** The tokens of the item as text. */
export function itemTokens(item: ContextItem, { syntax, countTokens }: Rendering): number {
  const { tokensByCounter } = cacheOf(syntax);
  const counts = tokensByCounter.get(countTokens) ?? new WeakMap<ContextItem, number>();
  tokensByCounter.set(countTokens, counts);
  const cached = counts.get(item);
  if (cached !== undefined) return cached;
  const tokens = countTokens(itemText(item, syntax));
  counts.set(item, tokens);
  return tokens;
}
