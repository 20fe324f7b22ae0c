import type { Message } from "./message.ts";

const KEY = /^[^\sA-Z]+$/;

/** The keys of a message, as far as they are ones: fields of that name may have come with it from anywhere. */
export function messageKeys({ keys }: Message): readonly string[] {
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string" && KEY.test(key)) : [];
}
