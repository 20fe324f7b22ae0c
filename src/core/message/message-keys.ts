import type { Message } from "./message.ts";

const KEY = /^[^\sA-Z]+$/;

/** The keys of a message without those that are not valid: a message may come from anywhere with a field of that name. */
export function messageKeys({ keys }: Message): readonly string[] {
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string" && KEY.test(key)) : [];
}
