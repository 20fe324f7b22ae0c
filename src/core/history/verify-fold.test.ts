import { describe, expect, test } from "vitest";
import {
  assistant,
  call,
  chat,
  condense,
  deepFreeze,
  log,
  result,
  tag,
  truncate,
  user,
} from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import { clearToolResults } from "../truncate/clear-tool-results.ts";
import { truncateConversation } from "../truncate/truncate-conversation.ts";
import { verifyFold } from "./verify-fold.ts";

const withTools = log(
  user("Fix it."),
  assistant(call("t1")),
  user(result("t1", "one")),
  assistant(call("t2"), call("t3")),
  user(result("t2", "two"), result("t3", "three")),
  assistant("Done."),
  user("Thanks."),
);

/** A copy that shares nothing with the log, as after a plugin's own JSON. */
function copied(messages: readonly Message[]): readonly Message[] {
  return deepFreeze(JSON.parse(JSON.stringify(messages)));
}

const edited = (messages: readonly Message[], index: number, change: object): readonly Message[] =>
  messages.map((message, at) => (at === index ? { ...message, ...change } : message));

describe("a fold is accepted", () => {
  test.each<[string, readonly Message[]]>([
    ["when nothing changed", withTools],
    ["when whole pairs are hidden behind a summary", condense(withTools, "c1", ["m1", "m2"])],
    ["when whole pairs are hidden behind a marker", truncate(withTools, "x1", ["m1", "m2", "m3", "m4"])],
    ["when it was made on a copy of the log", copied(condense(withTools, "c1", ["m1", "m2"]))],
    ["when only blocks are folded", clearToolResults(withTools, { keepNewest: 1, minGainTokens: -1_000 }).messages],
  ])("%s", (_, after) => {
    expect(verifyFold(withTools, after)).toBeUndefined();
  });

  test("when it hides an older summary behind a newer one", () => {
    const once = condense(withTools, "c1", ["m1", "m2"]);
    expect(verifyFold(once, condense(once, "c2", ["c1", "m3", "m4"]))).toBeUndefined();
  });

  test("when it takes an older summary back and hides the same messages itself", () => {
    const once = condense(withTools, "c1", ["m1", "m2"]);
    expect(verifyFold(once, condense(withTools, "c2", ["m1", "m2", "m3", "m4"]))).toBeUndefined();
  });

  test("when it replaces tags that name a summary or marker which is gone", () => {
    const orphaned = withTools.map((message, index) =>
      index === 1 || index === 2
        ? tag(message, { truncationParent: "gone", condenseParent: "gone", folds: [] })
        : message,
    );
    expect(verifyFold(orphaned, condense(orphaned, "c1", ["m1", "m2"]))).toBeUndefined();
    expect(verifyFold(orphaned, truncateConversation(orphaned, 0.5, "task").messages)).toBeUndefined();
  });

  test("when the log was broken before in the same place", () => {
    const broken = log(
      user("a"),
      assistant(call("t1")),
      user(result("t1")),
      assistant("b"),
      user(result("t1", "again")),
    );
    expect(verifyFold(broken, truncate(broken, "x1", ["m1", "m2"]))).toBeUndefined();
    const blank = log(user("a"), assistant(" "), user("b"), assistant("c"), user("d"));
    expect(verifyFold(blank, condense(blank, "c1", ["m2", "m3"]))).toBeUndefined();
  });
});

describe("a fold is refused", () => {
  const CHANGED = /changed, removed or added/;

  test.each<[string, readonly Message[]]>([
    ["drops a message", withTools.toSpliced(5, 1)],
    ["drops the newest message", withTools.slice(0, -1)],
    ["drops everything", []],
    ["adds a message that nobody said", [...withTools, assistant("Anything else?")]],
    ["changes a text", edited(withTools, 5, { content: "Nearly done." })],
    ["changes a result", edited(withTools, 2, { content: [result("t1", "uno")] })],
    ["changes who said it", edited(withTools, 6, { role: "assistant" })],
    ["changes when it was said", edited(withTools, 6, { ts: 1 })],
    ["marks a message as important", edited(withTools, 6, { important: true })],
    ["takes a field away", edited(withTools, 6, { id: undefined })],
    ["swaps two messages", [...withTools.slice(0, 5), ...withTools.slice(5).toReversed()]],
    ["turns a message into a summary", edited(withTools, 5, { isSummary: true, condenseId: "c1" })],
    ["changes a hidden message", edited(condense(withTools, "c1", ["m1", "m2"]), 1, { content: "hidden" })],
  ])("that %s", (_, after) => {
    expect(verifyFold(withTools, after)).toMatch(CHANGED);
  });

  test("that changes what JSON cannot hold, or cannot be compared", () => {
    const odd = log(user("a"), assistant(call("t1", "count", { many: 10n })), user(result("t1")));
    expect(verifyFold(odd, structuredClone(odd))).toMatch(CHANGED);
    expect(verifyFold(odd, condense(odd, "c1", ["m1", "m2"]))).toBeUndefined();
  });

  test.each<[string, readonly string[], RegExp]>([
    ["a call without its result", ["m1"], /"t1".*no call before it/],
    ["a result without its call", ["m2"], /"t1".*not answered/],
    ["calls whose results stay", ["m3"], /no call before it/],
  ])("that hides %s", (_, hidden, reason) => {
    expect(verifyFold(withTools, condense(withTools, "c1", hidden))).toMatch(reason);
  });

  test("that leaves the assistant to speak first", () => {
    expect(verifyFold(chat(4), condense(chat(4), "c1", ["m0"]))).toMatch(/must be the user's/);
  });

  test("that shows an empty summary, also where another message is empty already", () => {
    const blank = log(user("a"), assistant(" "), user("b"), assistant("c"), user("d")).map(
      ({ id: _, ...message }) => message,
    );
    const [first, second, ...rest] = blank;
    const summary = assistant("  ");
    const hidden = rest.slice(0, 2).map((message) => tag(message, { condenseParent: "c1" }));
    const after = [first, second, ...hidden, tag(summary, { isSummary: true, condenseId: "c1" }), ...rest.slice(2)];
    expect(
      verifyFold(
        blank,
        after.filter((message) => message !== undefined),
      ),
    ).toMatch(/only white space/);
  });

  test("that hides a call which is still running", () => {
    const running = log(user("a"), assistant("b"), user("c"), assistant(call("t9")));
    expect(verifyFold(running, condense(running, "c1", ["m1", "m2", "m3"]))).toMatch(/"t9" is still running/);
    expect(verifyFold(running, condense(running, "c1", ["m1", "m2"]))).toBeUndefined();
  });

  test("that rewrites an older summary or marker", () => {
    const once = condense(truncate(chat(12), "x1", ["m1", "m2"]), "c1", ["m5", "m6"]);
    const twice = condense(once, "c2", ["m7", "m8"]);
    for (const id of ["x1", "c1"]) {
      const rewritten = twice.map((message) => (message.id === id ? { ...message, content: "shorter" } : message));
      expect(verifyFold(once, rewritten)).toMatch(/stays as it is/);
    }
    expect(verifyFold(once, twice)).toBeUndefined();
  });
});
