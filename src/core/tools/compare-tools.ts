import { serialize } from "../tokens/serialize.ts";
import type { SentTool } from "./tool-definition.ts";

/** The difference between the tools of a request and those of the request before. */
export interface ToolChange {
  /**
   * Whether the provider's cached prompt is lost. Any difference costs it, because providers put tool definitions first. False for
   * the first request.
   */
  readonly costsCache: boolean;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Sent before and now, with another description or schema. */
  readonly changed: readonly string[];
  /** Whether the tools that are in both have another order. */
  readonly isReordered: boolean;
}

const NO_CHANGE: ToolChange = { costsCache: false, added: [], removed: [], changed: [], isReordered: false };

/** Compares two lists of tools as they are sent; `before` is undefined for the first request. */
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
