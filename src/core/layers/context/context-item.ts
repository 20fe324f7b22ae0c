import type { CountTokens } from "../../message/message.ts";
import type { LayerName, MemoryKind } from "../layer-names.ts";
import type { PriorityName } from "../layered-state.ts";
import { type XmlAttributes, xmlElement } from "./xml.ts";

/** One element of the context. */
export interface ContextItem {
  readonly tag: string;
  readonly attributes: XmlAttributes;
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

// Entries of a state and the items made of them are immutable: what is known of one is known for as long as it lives.
const xmlOf = new WeakMap<ContextItem, string>();
const tokensByCounter = new WeakMap<CountTokens, WeakMap<ContextItem, number>>();

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
export function itemXml(item: ContextItem): string {
  const known = xmlOf.get(item);
  if (known !== undefined) return known;
  const xml = xmlElement(item.tag, item.attributes, item.text);
  xmlOf.set(item, xml);
  return xml;
}

/** Tokens of the element. */
export function itemTokens(item: ContextItem, countTokens: CountTokens): number {
  const counts = tokensByCounter.get(countTokens) ?? new WeakMap<ContextItem, number>();
  tokensByCounter.set(countTokens, counts);
  const known = counts.get(item);
  if (known !== undefined) return known;
  const tokens = countTokens(itemXml(item));
  counts.set(item, tokens);
  return tokens;
}
