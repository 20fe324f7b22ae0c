/** Logs that nobody would write and that exist all the same: each goes through everything, and nothing is lost. */

import { describe, expect, test } from "vitest";
import { isFull } from "../../test/chaos/chaos-size.ts";
import { assistant, call, deepFreeze, log, result, tag, talk, text, user } from "../../test/support/messages.ts";
import { cleanupAfterTruncation } from "./history/clean-up.ts";
import { listFolds } from "./history/list-folds.ts";
import { restoreAllMessages, restoreMessages } from "./history/restore.ts";
import { effectiveView } from "./message/effective-view.ts";
import type { Message } from "./message/message.ts";
import { type ViewProblemCode, validateView } from "./message/validate-view.ts";
import { countMessagesTokens } from "./tokens/count-messages.ts";
import { foldToFit } from "./truncate/fold-to-fit.ts";

const long = (words: string) => `${words} `.repeat(300).trim();

/** Enough traffic around the odd messages that there is something to hide. */
function among(...odd: readonly Message[]): readonly Message[] {
  const reads = Array.from({ length: 12 }, (_, index) => [
    assistant(call(`read-${index}`, "read_file", { path: `${index}.log` })),
    user(result(`read-${index}`, long(`line ${index}`))),
  ]);
  return [user("go"), ...reads.slice(0, 6).flat(), ...odd, ...reads.slice(6).flat(), user("and now?")];
}

const backwards = (messages: readonly Message[]) =>
  messages.map((message, index) => tag(message, { ts: 5_000 - index * 1_000 }));

const logs: readonly (readonly [string, readonly Message[], readonly ViewProblemCode[]])[] = [
  ["an empty conversation", [], ["empty-view"]],
  ["a conversation of empty messages", [user(""), assistant(), user(text(" "))], Array(3).fill("empty-content")],
  ["NUL bytes", among(assistant(long("a\0b\0")), user(long("\0"))), []],
  ["lone surrogates", among(assistant(long("\ud800 x \udc00")), user(long("\udfff\ud800"))), []],
  [
    "half an emoji at each end of a result",
    among(assistant(call("e")), user(result("e", `\ude00${long("😀")}\ud83d`))),
    [],
  ],
  ["timestamps that go backwards", backwards(among()), []],
  ["one timestamp for all", among().map((message) => tag(message, { ts: 7 })), []],
  ["one id for all", among().map((message) => tag(message, { id: "same" })), []],
  ["ids that look like those of folds", among().map((message, index) => tag(message, { id: `clear-${index}` })), []],
  ["neither ids nor timestamps", among(), []],
  ["an orphan result", among(user(result("nobody", long("whose?")))), ["orphan-result"]],
  [
    "a result that comes twice",
    among(assistant(call("a")), user(result("a", long("once"))), assistant("so"), user(result("a", long("twice")))),
    ["duplicate-result"],
  ],
  [
    "a call that was never answered",
    among(assistant(call("a", "run", { script: long("make") })), user("stop")),
    ["missing-result"],
  ],
  ["only orphan results", ["a", "b", "c"].map((id) => user(result(id, long(id)))), Array(3).fill("orphan-result")],
  ["a first turn of the assistant", log(assistant(long("Hello.")), ...talk(30)), ["first-turn-not-user"]],
];

describe.each(logs)("%s", (_, messages, problems) => {
  deepFreeze(messages);

  test("is shown as it is, and judged", () => {
    const view = effectiveView(messages);
    expect(view).toHaveLength(messages.length);
    expect(view.every((message, index) => message === messages[index])).toBe(true);
    expect(validateView(view).map(({ code }) => code)).toEqual(problems);
  });

  test("is brought under a budget and comes back byte for byte, at once and fold by fold", () => {
    const before = JSON.stringify(messages);
    const allowedTokens = Math.ceil(countMessagesTokens(messages) / 3);
    const folded = foldToFit(messages, { allowedTokens });
    expect(folded.tokens).toBe(countMessagesTokens(effectiveView(folded.messages)));
    expect(folded.type === "cannot-fit").toBe(folded.tokens > allowedTokens);
    if (messages.length > 20) expect(folded.type).toBe("folded");
    expect(JSON.stringify(restoreAllMessages(folded.messages))).toBe(before);
    let restored = folded.messages;
    for (const { foldId } of listFolds(folded.messages)) restored = restoreMessages(restored, foldId);
    expect(JSON.stringify(restored)).toBe(before);
  });
});

test.each(logs.filter(([, , problems]) => problems.length === 0))("%s is still accepted when folded", (_, messages) => {
  const { messages: folded } = foldToFit(messages, { allowedTokens: Math.ceil(countMessagesTokens(messages) / 3) });
  expect(validateView(effectiveView(folded))).toEqual([]);
});

test("tags whose stand-ins are gone hide nothing, and all but such tags comes back", () => {
  const original = among();
  const messages = original.map((message) => tag(message, { condenseParent: "gone", truncationParent: "lost" }));
  expect(effectiveView(messages)).toEqual(messages);
  const folded = foldToFit(messages, { allowedTokens: Math.ceil(countMessagesTokens(messages) / 6) });
  expect(folded.messagesHidden).toBeGreaterThan(0);
  const restored = cleanupAfterTruncation(restoreAllMessages(folded.messages));
  expect(JSON.stringify(restored)).toBe(JSON.stringify(original));
});

const MEGABYTES = isFull ? 100 : 20;

test(`a message of ${MEGABYTES} MB is counted, shown, brought into 32,000 tokens and given back`, () => {
  const output = `first\0${"-".repeat(MEGABYTES * 1_000_000)}\ud800last`;
  const messages = deepFreeze([user("go"), assistant(call("a", "cat")), user(result("a", output))]);
  const isSame = (others: readonly Message[]) =>
    others.every((other, index) => other.content === messages[index]?.content);
  expect(countMessagesTokens(messages)).toBeGreaterThan(MEGABYTES * 10_000);
  expect(isSame(effectiveView(messages))).toBe(true);
  expect(validateView(messages)).toEqual([]);

  const { type, tokens, messages: folded } = foldToFit(messages, { allowedTokens: 32_000 });
  expect(type).toBe("folded");
  expect(tokens).toBeLessThanOrEqual(32_000);
  const view = effectiveView(folded);
  expect(validateView(view)).toEqual([]);
  expect(view[2]?.content).toMatchObject([
    { content: expect.stringMatching(/^first\0.* tokens hidden in fold .*\ud800last$/s) },
  ]);
  expect(isSame(restoreAllMessages(folded))).toBe(true);
});
