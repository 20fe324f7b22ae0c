import { expect, test } from "vitest";
import type { Content, Message } from "../message/message.ts";
import { countContentTokens } from "./count-content.ts";
import { countMessagesTokens, countMessageTokens } from "./count-messages.ts";

const message: Message = { role: "user", content: "Where is the log kept?" };

function recordingCounter(tokens: number) {
  const counted: Content[] = [];
  const countTokens = (content: Content) => {
    counted.push(content);
    return tokens;
  };
  return { counted, countTokens };
}

test("counts a message's content exactly unless told how to count", () => {
  expect(countMessageTokens(message)).toBe(countContentTokens(message.content));
});

test("counts an unchanged message once", () => {
  const { counted, countTokens } = recordingCounter(5);
  expect([countMessageTokens(message, countTokens), countMessageTokens(message, countTokens)]).toEqual([5, 5]);
  expect(countMessagesTokens([message, message], countTokens)).toBe(10);
  expect(counted).toEqual([message.content]);
});

test("remembers a count of 0", () => {
  const { counted, countTokens } = recordingCounter(0);
  countMessageTokens(message, countTokens);
  countMessageTokens(message, countTokens);
  expect(counted).toHaveLength(1);
});

test("counts a changed copy anew", () => {
  const { counted, countTokens } = recordingCounter(5);
  countMessageTokens(message, countTokens);
  countMessageTokens({ ...message, content: "Elsewhere." }, countTokens);
  expect(counted).toEqual([message.content, "Elsewhere."]);
});

test("keeps the counts of different counters apart", () => {
  expect(countMessageTokens(message, () => 3)).toBe(3);
  expect(countMessageTokens(message, () => 4)).toBe(4);
});

test("sums over messages", () => {
  const reply: Message = { role: "assistant", content: [{ type: "text", text: "In the store." }] };
  expect(countMessagesTokens([message, reply])).toBe(countMessageTokens(message) + countMessageTokens(reply));
  expect(countMessagesTokens([])).toBe(0);
});
