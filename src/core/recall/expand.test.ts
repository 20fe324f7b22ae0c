import { describe, expect, test } from "vitest";
import {
  assistant,
  call,
  condense,
  ids,
  log,
  result,
  tag,
  text,
  truncate,
  user,
} from "../../../test/support/messages.ts";
import { foldBlocks } from "../message/block-folds.ts";
import { createRecallIndex } from "./recall-index.ts";

const session = log(
  user("goal"),
  assistant(call("t1")),
  user(result("t1", "one"), text("and more")),
  assistant("done"),
  user("next"),
);
const expand = (messages: Parameters<typeof createRecallIndex>[0], id: string) =>
  createRecallIndex(messages).expand(id);

describe("a fold of messages", () => {
  test("gives what it hides as it was, in the order of the log", () => {
    expect(expand(condense(session, "sum", ["m1", "m2", "m3"]), "sum")).toEqual(session.slice(1, 4));
    expect(expand(truncate(session, "cut", ["m1", "m2"]), "cut")).toEqual(session.slice(1, 3));
  });

  test("gives instead of an inner summary what that one stands for", () => {
    const twice = condense(condense(session, "inner", ["m1", "m2"]), "outer", ["m0", "inner", "m3"]);
    expect(expand(twice, "outer")).toEqual(session.slice(0, 4));
    expect(expand(twice, "inner")).toEqual(session.slice(1, 3));
  });

  test("gives an inner summary itself where its messages are gone", () => {
    const twice = condense(condense(session, "inner", ["m1", "m2"]), "outer", ["inner", "m3"]);
    const damaged = twice.filter(({ condenseParent }) => condenseParent !== "inner");
    expect(ids(expand(damaged, "outer"))).toEqual(["inner", "m3"]);
  });

  test("ends where folds hide each other", () => {
    const one = tag(assistant("1"), { id: "a", isSummary: true, condenseId: "a", condenseParent: "b" });
    const other = tag(assistant("2"), { id: "b", isSummary: true, condenseId: "b", condenseParent: "a" });
    expect(expand([one, other], "a")).toEqual([]);
  });
});

describe("a fold of blocks", () => {
  const folded = foldBlocks(session, { foldId: "clear-1", kind: "clear" }, [
    { messageIndex: 2, blockIndex: 0, standIn: result("t1", "[hidden]"), hiddenTokens: 1 },
    { messageIndex: 4, blockIndex: 0, standIn: text("[hidden]"), hiddenTokens: 1 },
  ]);

  test("gives the blocks that it hides, in their messages", () => {
    expect(expand(folded, "clear-1")).toEqual([{ ...session[2], content: [result("t1", "one")] }, session[4]]);
  });

  test("gives its blocks also when their message is hidden whole", () => {
    expect(expand(truncate(folded, "cut", ["m1", "m2"]), "clear-1")[0]).toEqual({
      ...session[2],
      content: [result("t1", "one")],
    });
  });
});

describe("a message", () => {
  test("is given whole, without folds and tags", () => {
    expect(expand(condense(session, "sum", ["m2"]), "m2")).toEqual([session[2]]);
  });

  test("is the same object where nothing was folded", () => {
    expect(expand(session, "m4")[0]).toBe(session[4]);
  });

  test("is not mistaken for a place: an id that looks like one wins", () => {
    const messages = [...session, tag(user("named"), { id: "#0" })];
    expect(expand(messages, "#0")[0]?.content).toBe("named");
    expect(expand(messages, "#4")).toEqual([session[4]]);
  });

  test("is found by the number that a ledger gives it, which folding does not move", () => {
    const unnamed = session.map(({ id: _, ...message }) => message);
    const folded = condense(session, "sum", ["m1", "m2"]).map(({ id: _, ...message }) => message);
    expect(expand(unnamed, "m3")).toEqual([unnamed[3]]);
    expect(expand(folded, "m3")).toEqual([unnamed[3]]);
  });

  test("whose id is used twice is given twice", () => {
    expect(expand([...session, tag(user("again"), { id: "m0" })], "m0")).toHaveLength(2);
  });
});

test.each(["nothing", "", "#99", "#-1", "__proto__"])("refuses the unknown id %j", (id) => {
  expect(() => expand(session, id)).toThrow(expect.objectContaining({ code: "unknown-fold" }));
});

test("refuses an id that is no text", () => {
  // @ts-expect-error callers without types
  expect(() => expand(session, 3)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
});
