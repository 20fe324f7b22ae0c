import { expect, test } from "vitest";
import { user } from "../../../test/support/messages.ts";
import type { Message } from "./message.ts";
import { messageKeys } from "./message-keys.ts";

/** As it may come from anywhere. */
const withKeys = (keys: unknown): Message => JSON.parse(JSON.stringify({ ...user("hi"), keys }));

test("are the message's own, in order", () => {
  expect(messageKeys(withKeys(["b", "a:1", "äß", "a"]))).toEqual(["b", "a:1", "äß", "a"]);
});

test.each([undefined, null, "key", { 0: "key", length: 1 }, 7])("are none where the field is %j", (keys) => {
  expect(messageKeys(withKeys(keys))).toEqual([]);
});

test("leave out what no key can be", () => {
  const odd = ["", " ", "two words", "Capital", "trailing\n", 7, null, ["nested"], { a: 1 }, true];
  expect(messageKeys(withKeys(["first", ...odd, "last"]))).toEqual(["first", "last"]);
});
