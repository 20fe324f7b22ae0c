import { describe, expect, test } from "vitest";
import { assistant, call, condense, log, result, tag, text, truncate, user } from "../../../test/support/messages.ts";
import { foldBlocks } from "../message/block-folds.ts";
import type { Message } from "../message/message.ts";
import { countTextTokens } from "../tokens/o200k/count-text-tokens.ts";
import { createRecallIndex, type RecallIndex } from "./recall-index.ts";
import { renderRecall } from "./render-recall.ts";

const WIDE = { budgetTokens: 5_000 };

const session = log(
  user("Rotate the JWT secret every week, never log it."),
  assistant(text("I look at the store first."), call("t1", "read_file", { path: "src/auth/tokenStore.ts" })),
  user(result("t1", "export const ROTATION_DAYS = 7;\nexport function currentSecret() {}")),
  assistant(call("t2", "run_command", { command: "npm test" })),
  user(result("t2", "error TS2345: Argument of type 'string' is not assignable\n  at src/auth/verify.ts:12")),
  assistant("The failing check is in verify.ts."),
);
const allIds = session.map(({ id }) => id ?? "");
const hidden = truncate(session, "cut", allIds.slice(0, 5));

const found = (messages: readonly Message[], query: string) =>
  createRecallIndex(messages)
    .recall(query, WIDE)
    .map(({ messageId }) => messageId);

describe("what is searched", () => {
  test("only what the folds hide", () => {
    expect(found(session, "secret")).toEqual([]);
    expect(found(hidden, "secret")).toContain("m0");
    expect(found(hidden, "failing check verify.ts")).not.toContain("m5");
  });

  test("all of the log, where that is asked for; what the view shows has no fold", () => {
    const [hit] = createRecallIndex(hidden, { scope: "all" }).recall("failing check", WIDE);
    expect(hit).toMatchObject({ messageId: "m5", foldId: undefined, text: "The failing check is in verify.ts." });
  });

  test("a tag whose stand-in is gone hides nothing", () => {
    expect(
      found(
        hidden.filter(({ id }) => id !== "cut"),
        "secret",
      ),
    ).toEqual([]);
  });

  test("the original of a folded block, and no other block of its message", () => {
    const mixed = log(user(result("t1", "alpha original"), text("alpha shown")));
    const standIn = result("t1", "[hidden]");
    const folded = foldBlocks(mixed, { foldId: "clear-1", kind: "clear" }, [
      { messageIndex: 0, blockIndex: 0, standIn, hiddenTokens: 3 },
    ]);
    const hits = createRecallIndex(folded).recall("alpha", WIDE);
    expect(hits).toMatchObject([{ text: "alpha original", foldId: "clear-1", kind: "tool-result" }]);
  });

  test("a block that came into scope after its neighbours is searched in its place", () => {
    const lines = (word: string) => Array.from({ length: 90 }, () => word).join("\n");
    const results = [lines("alpha"), "nothing", lines("beta"), lines("alpha gamma")];
    const said = log(user(...results.map((each, index) => result(`t${index}`, each))), user("Go on."));
    const standIn = result("t2", "[hidden]");
    const cleared = foldBlocks(said, { foldId: "clear-1", kind: "clear" }, [
      { messageIndex: 0, blockIndex: 2, standIn, hiddenTokens: 3 },
    ]);
    const whole = truncate(cleared, "cut", ["m0"]);
    const inSteps = createRecallIndex(whole.filter(({ id }) => id !== "cut"));
    inSteps.add(whole.filter(({ id }) => id === "cut"));
    // The order of the messages differs, so only what they say is compared.
    const scores = (index: RecallIndex) =>
      index.recall("alpha", WIDE).map(({ text, offset, score }) => [text, offset, score]);
    const marker = whole.findIndex(({ id }) => id === "cut");
    const atOnce = createRecallIndex([...whole.toSpliced(marker, 1), ...whole.slice(marker, marker + 1)]);
    expect(scores(inSteps)).toEqual(scores(atOnce));
    expect(scores(inSteps).length).toBeGreaterThan(2);
  });

  test("summaries that are hidden themselves, as what they are; never markers", () => {
    const twice = condense(condense(session, "first", ["m1", "m2"]), "second", ["m0", "first"]);
    const [hit] = createRecallIndex(twice).recall("summary first", WIDE);
    expect(hit).toMatchObject({ messageId: "first", foldId: "second", kind: "summary" });
    const cutTwice = condense(hidden, "over", ["cut"]);
    expect(found(cutTwice, "marker cut")).toEqual([]);
  });

  test("thoughts, calls with what they wrote, and blocks of unknown types", () => {
    const messages = truncate(
      log(
        assistant({ type: "reasoning", text: "perhaps the mutex deadlocks" }),
        assistant(call("t1", "write_file", { path: "src/queue.ts", content: "line one\nconst zebra = 1;\n" })),
        user({ type: "server_search", payload: { title: "quokka habitat" } }),
      ),
      "cut",
      ["m0", "m1", "m2"],
    );
    const index = createRecallIndex(messages);
    const [thought] = index.recall("mutex", WIDE);
    expect(thought).toMatchObject({ kind: "reasoning", text: "perhaps the mutex deadlocks" });
    const [written] = index.recall("zebra", WIDE);
    expect(written).toMatchObject({ kind: "tool-call", toolName: "write_file", text: "line one\nconst zebra = 1;" });
    expect(index.recall("quokka", WIDE)[0]).toMatchObject({ messageId: "m2" });
  });
});

describe("what is found first", () => {
  test("a result by the file that was read, though its text does not name it", () => {
    const hits = createRecallIndex(hidden).recall("src/auth/tokenStore.ts", WIDE);
    expect(
      hits
        .map(({ messageId }) => messageId)
        .slice(0, 2)
        .toSorted(),
    ).toEqual(["m1", "m2"]);
    expect(hits.find(({ messageId }) => messageId === "m2")).toMatchObject({ toolName: "read_file", role: "user" });
  });

  test("the identifier itself before texts that hold its words", () => {
    const messages = log(
      user("the current user name is shown, get it from the user, name it, get the name"),
      user("call getUserName() here"),
      user("get the user and a name"),
    );
    expect(found(truncate(messages, "cut", ["m0", "m1", "m2"]), "getUserName")[0]).toBe("m1");
  });

  test("a name that was typed in small letters, an error by its number, a word in another form", () => {
    const messages = log(user("see getUsers()"), user("error TS2345 again"), user("secrets are rotated"));
    const all = truncate(messages, "cut", ["m0", "m1", "m2"]);
    expect(found(all, "getusers")[0]).toBe("m0");
    expect(found(all, "2345")[0]).toBe("m1");
    expect(found(all, "rotating secret")[0]).toBe("m2");
  });

  test("the passage with the rare word before those with the common ones", () => {
    const messages = log(
      ...Array.from({ length: 30 }, (_, index) => user(`the test of the file number ${index} is in the log`)),
      user("a heisenbug once"),
    );
    const all = truncate(
      messages,
      "cut",
      messages.map(({ id }) => id ?? ""),
    );
    expect(found(all, "the test of the heisenbug in the file")[0]).toBe("m30");
  });

  test("of equals the newest; of the same text read twice only the newest", () => {
    const messages = log(user("deploy with blue"), user("deploy with green"), user("deploy  with\nblue"));
    expect(found(truncate(messages, "cut", ["m0", "m1", "m2"]), "deploy")).toEqual(["m2", "m1"]);
  });

  test("text in Chinese by a part of it", () => {
    const messages = log(user("请把配置文件移动到新的目录"), user("没有关系"));
    expect(found(truncate(messages, "cut", ["m0", "m1"]), "配置文件在哪里")[0]).toBe("m0");
  });
});

describe("what is returned", () => {
  const page = Array.from({ length: 300 }, (_, index) => `row ${index} of the pelican table, column ${index * 7}`);
  const long = truncate(log(user("start"), user(result("t1", page.join("\n")))), "cut", ["m1"]);

  test("excerpts of whole lines with their numbers, not whole messages", () => {
    const [hit] = createRecallIndex(long).recall("pelican 1407", WIDE);
    expect(hit?.text).toContain("row 201 of");
    expect(hit?.text).toBe(page.slice((hit?.firstLine ?? 0) - 1, hit?.lastLine).join("\n"));
  });

  test.each([0, 50, 150, 300, 700, 2_000])("what is shown fits a budget of %i tokens", (budgetTokens) => {
    const hits = createRecallIndex(long).recall("pelican table", { budgetTokens, maxHits: 50 });
    if (hits.length > 0) expect(countTextTokens(renderRecall(hits))).toBeLessThanOrEqual(budgetTokens);
    expect(hits.length > 0).toBe(budgetTokens >= 300);
  });

  test("a shorter hit where the best one is too long", () => {
    const messages = log(user(`walrus walrus walrus ${"and so on ".repeat(60)}`), user("one walrus"));
    const all = truncate(messages, "cut", ["m0", "m1"]);
    const hits = createRecallIndex(all).recall("walrus", { budgetTokens: 100 });
    expect(hits.map(({ messageId }) => messageId)).toEqual(["m1"]);
  });

  test("as many hits as fit, or as are asked for", () => {
    const index = createRecallIndex(long);
    expect(index.recall("pelican", { budgetTokens: 50_000 }).length).toBeGreaterThan(20);
    expect(index.recall("pelican", { budgetTokens: 50_000, maxHits: 3 })).toHaveLength(3);
    expect(index.recall("pelican", { budgetTokens: 50_000, maxHits: 0 })).toEqual([]);
  });

  test("nothing for a query that says nothing or that nothing matches", () => {
    for (const query of ["", "  \n", "?!", "a", "xylophone"]) {
      expect(createRecallIndex(hidden, { scope: "all" }).recall(query, WIDE)).toEqual([]);
    }
  });

  test("the caller's own counter decides what fits", () => {
    const countTokens = (content: Message["content"]) => (typeof content === "string" ? content.length : 0);
    const hits = createRecallIndex(hidden, { countTokens }).recall("secret", { budgetTokens: 600 });
    expect(hits.length).toBeGreaterThan(0);
    expect(renderRecall(hits).length).toBeLessThanOrEqual(600);
  });

  test("messages without an id are named by their place", () => {
    const nameless = hidden.map(({ id, ...rest }) => (id === "cut" ? { id, ...rest } : rest));
    const index = createRecallIndex(nameless);
    const [hit] = index.recall("rotate JWT", WIDE);
    expect(hit?.messageId).toBe("#0");
    expect(index.expand("#0")[0]?.content).toBe(session[0]?.content);
  });
});

describe("adding", () => {
  test("a summary that comes later makes searchable what it hides", () => {
    const messages = condense(session, "sum", ["m0", "m1", "m2"]);
    const index = createRecallIndex(messages.filter(({ id }) => id !== "sum"));
    expect(index.recall("secret", WIDE)).toEqual([]);
    index.add(messages.filter(({ id }) => id === "sum"));
    expect(index.recall("secret", WIDE)[0]).toMatchObject({ foldId: "sum" });
  });

  test("messages that are known already change nothing", () => {
    const index = createRecallIndex(hidden);
    const before = index.recall("secret rotation", WIDE);
    index.add(hidden);
    expect(index.recall("secret rotation", WIDE)).toEqual(before);
  });

  test("a result belongs to the call before it, where ids are used again", () => {
    const messages = log(
      assistant(call("t", "read_file", { path: "first.ts" })),
      user(result("t", "giraffe one")),
      assistant(call("t", "grep", { pattern: "second" })),
      user(result("t", "giraffe two")),
    );
    const hits = createRecallIndex(messages, { scope: "all" }).recall("giraffe", { ...WIDE, maxHits: 2 });
    expect(hits.map(({ toolName }) => toolName)).toEqual(["grep", "read_file"]);
  });

  test("a refused message leaves the index as it was", () => {
    const index = createRecallIndex(hidden);
    // @ts-expect-error callers without types
    expect(() => index.add([tag(user("walrus"), { truncationParent: "cut" }), { role: "owl", content: "" }])).toThrow(
      "role",
    );
    expect(index.recall("walrus", WIDE)).toEqual([]);
  });
});

test("says what is wrong with its arguments", () => {
  const index = createRecallIndex(hidden);
  // @ts-expect-error callers without types
  expect(() => createRecallIndex(hidden, { scope: "some" })).toThrow('scope is "some"; it must be "hidden" or "all"');
  // @ts-expect-error callers without types
  expect(() => index.recall(7, WIDE)).toThrow("query is 7; it must be a string");
  // @ts-expect-error callers without types
  expect(() => index.recall("x", {})).toThrow("budgetTokens is undefined");
  expect(() => index.recall("x", { budgetTokens: Number.NaN })).toThrow("budgetTokens is NaN");
  expect(() => index.recall("x", { budgetTokens: 9, maxHits: -1 })).toThrow("maxHits is -1");
});
