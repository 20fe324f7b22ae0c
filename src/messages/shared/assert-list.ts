import { assert } from "../../core/assert.ts";

/** Throws if the value is no array: most often a reply was passed by itself. */
export function assertList(name: string, value: unknown): asserts value is readonly unknown[] {
  assert(Array.isArray(value), name, value, "an array; a reply goes in as a list of one: [reply]");
}
