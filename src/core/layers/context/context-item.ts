import type { CountTokens } from "../../message/message.ts";
import type { LayerName, MemoryKind } from "../layer-names.ts";
import type { PriorityName } from "../layered-state.ts";
import type { ContextAttributes, ContextSyntax, Rendering } from "./context-syntax.ts";

/** One element of the context. */
export interface ContextItem {
  readonly tag: string;
  readonly attributes: ContextAttributes;
  readonly text: string;
  /** Who stays when there is not room for all. */
  readonly priority: PriorityName;
}

/** The items that share one budget: a layer, or one kind of memory. In the order in which they are shown. */
export interface ContextGroup {
  readonly layer: LayerName;
  readonly name: Exclude<LayerName, "memory"> | MemoryKind;
  readonly tag: string;
  readonly items: readonly ContextItem[];
}

interface KnownItems {
  readonly texts: WeakMap<ContextItem, string>;
  readonly tokensByCounter: WeakMap<CountTokens, WeakMap<ContextItem, number>>;
}

// Entries of a state and the items made of them are immutable: what is known of one is known for as long as it lives.
const knownItems = new WeakMap<ContextSyntax, KnownItems>();

function knownOf(syntax: ContextSyntax): KnownItems {
  const known = knownItems.get(syntax) ?? { texts: new WeakMap(), tokensByCounter: new WeakMap() };
  knownItems.set(syntax, known);
  return known;
}

/** Makes an item of an entry once, however often it is shown. */
export function itemMaker<Entry extends object>(make: (entry: Entry) => ContextItem): (entry: Entry) => ContextItem {
  const known = new WeakMap<Entry, ContextItem>();
  return (entry) => {
    const item = known.get(entry) ?? make(entry);
    known.set(entry, item);
    return item;
  };
}

/** The element, on a line of its own. */
export function itemText(item: ContextItem, syntax: ContextSyntax): string {
  const { texts } = knownOf(syntax);
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = syntax.element(item.tag, item.attributes, item.text);
  texts.set(item, text);
  return text;
}

/** Tokens of the element. */
export function itemTokens(item: ContextItem, { syntax, countTokens }: Rendering): number {
  const { tokensByCounter } = knownOf(syntax);
  const counts = tokensByCounter.get(countTokens) ?? new WeakMap<ContextItem, number>();
  tokensByCounter.set(countTokens, counts);
  const known = counts.get(item);
  if (known !== undefined) return known;
  const tokens = countTokens(itemText(item, syntax));
  counts.set(item, tokens);
  return tokens;
}
