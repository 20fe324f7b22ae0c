import { isRecord } from "./read-json.ts";

/** Far more than anything that is said has, and far less than the stack takes. */
export const MOST_NESTED_LEVELS = 500;

/** Whether lists and objects stand in one another so deep that walking them could exhaust the stack. @default mostLevels 500 */
export function isNestedTooDeep(value: unknown, mostLevels: number = MOST_NESTED_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (mostLevels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isNestedTooDeep(item, mostLevels - 1)) return true;
  } else if (isRecord(value)) {
    for (const name in value) if (isNestedTooDeep(value[name], mostLevels - 1)) return true;
  }
  return false;
}
