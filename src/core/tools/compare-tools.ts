import { serialize } from "../tokens/serialize.ts";
import type { SentTool } from "./tool-definition.ts";

/** How the tools that are sent differ from those that were sent before. */
export interface ToolChange {
  /**
   * Any difference does: providers put definitions before everything else, so that the cached prompt is of no use after
   * it. False where nothing was sent before.
   */
  readonly costsCache: boolean;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Sent before and now, with another description or schema. */
  readonly changed: readonly string[];
  /** Those in both stand in another order. */
  readonly isReordered: boolean;
}

const NO_CHANGE: ToolChange = { costsCache: false, added: [], removed: [], changed: [], isReordered: false };

/** Compares two lists of tools as they are sent; `before` is undefined at the first time. */
export function compareTools(before: readonly SentTool[] | undefined, after: readonly SentTool[]): ToolChange {
  if (before === undefined) return NO_CHANGE;
  const earlier = new Map(before.map((tool) => [tool.name, tool]));
  const later = new Set(after.map(({ name }) => name));
  const added = after.filter(({ name }) => !earlier.has(name)).map(({ name }) => name);
  const removed = before.filter(({ name }) => !later.has(name)).map(({ name }) => name);
  const changed = after.filter((tool) => differs(earlier.get(tool.name), tool)).map(({ name }) => name);
  const shared = before.filter(({ name }) => later.has(name));
  const sharedNow = after.filter(({ name }) => earlier.has(name));
  const isReordered = shared.some(({ name }, index) => sharedNow[index]?.name !== name);
  const costsCache = isReordered || [added, removed, changed].some((names) => names.length > 0);
  return { costsCache, added, removed, changed, isReordered };
}

function differs(before: SentTool | undefined, after: SentTool): boolean {
  return before !== undefined && before !== after && serialize(before) !== serialize(after);
}
