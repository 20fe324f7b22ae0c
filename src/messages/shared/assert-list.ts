import { assert } from "../../core/assert.ts";
import { isRecord } from "../../core/json/read-json.ts";

/** A whole response of a client, of which only a part is messages. */
export interface WholeResponse {
  readonly isWhole: (value: Readonly<Record<string, unknown>>) => boolean;
  /** The messages of it, as a program writes them. */
  readonly messages: string;
}

/** Throws if the value is no array, or a list of whole responses: most often a reply was passed by itself. */
export function assertList(
  name: string,
  value: unknown,
  response?: WholeResponse,
): asserts value is readonly unknown[] {
  const isWhole = (each: unknown) => response !== undefined && isRecord(each) && response.isWhole(each);
  const advice = `of a response of the client, pass ${response?.messages}`;
  assert(!isWhole(value), name, value, `an array; ${advice}`);
  assert(Array.isArray(value), name, value, "an array; a reply goes in as a list of one: [reply]");
  const at = value.findIndex(isWhole);
  assert(at === -1, `${name}[${at}]`, value[at], `a message; ${advice}`);
}
