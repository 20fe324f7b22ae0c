import { describe, expect, test } from "vitest";
import {
  assistant,
  call,
  chat,
  condense,
  deepFreeze,
  ids,
  log,
  result,
  tag,
  text,
  truncate,
  user,
} from "../../../test/support/messages.ts";
import { restoreAllMessages } from "../history/restore.ts";
import { effectiveView } from "./effective-view.ts";
import type { Block, BlockFold, Message } from "./message.ts";

const viewIds = (messages: readonly Message[]) => ids(effectiveView(messages));

function fold(blockIndex: number, standIn: Block, foldId = "f1"): BlockFold {
  return { foldId, kind: "clip", blockIndex, standIn, hiddenTokens: 10 };
}

function renderOne(message: Message): Message {
  const [shown = user("nothing")] = effectiveView([deepFreeze(message)]);
  return shown;
}

describe("hiding messages", () => {
  test("leaves out what a summary or a marker stands for, and keeps the rest in order", () => {
    const condensed = condense(chat(8), "c1", ["m1", "m2"]);
    expect(viewIds(condensed)).toEqual(["m0", "c1", "m3", "m4", "m5", "m6", "m7"]);
    expect(viewIds(truncate(condensed, "t1", ["m3", "m4"]))).toEqual(["m0", "c1", "t1", "m5", "m6", "m7"]);
  });

  test("shows everything as the same objects when nothing is folded", () => {
    const messages = chat(5);
    const view = effectiveView(messages);
    expect(view.every((message, index) => message === messages[index])).toBe(true);
    expect(view).toHaveLength(5);
  });

  test.each<[string, Partial<Message>]>([
    ["a summary that is gone", { condenseParent: "gone" }],
    ["a marker that is gone", { truncationParent: "gone" }],
    ["a marker's id as its summary", { condenseParent: "t1" }],
    ["a summary's id as its marker", { truncationParent: "c1" }],
    ["a message id", { condenseParent: "m0" }],
  ])("hides nothing by a tag that names %s", (_, dangling) => {
    const messages = truncate(condense(chat(6), "c1", ["m1"]), "t1", ["m2"]);
    const tagged = messages.map((message) => (message.id === "m4" ? tag(message, dangling) : message));
    expect(viewIds(tagged)).toEqual(viewIds(messages));
  });

  test.each<[string, Partial<Message>]>([
    ["condenseId alone", { condenseId: "c1" }],
    ["isSummary: false", { isSummary: false, condenseId: "c1" }],
    ["isSummary on a truncation id", { isSummary: true, truncationId: "c1" }],
  ])("takes no message for a summary by %s", (_, fields) => {
    const messages = log(user("go"), tag(assistant("hidden?"), { condenseParent: "c1" }), tag(assistant("s"), fields));
    expect(viewIds(messages)).toEqual(["m0", "m1", "m2"]);
  });

  test("shows only the outermost of three nested summaries", () => {
    const once = condense(chat(9), "c1", ["m1", "m2"]);
    const twice = condense(once, "c2", ["c1", "m3", "m4"]);
    const thrice = condense(twice, "c3", ["c2", "m5"]);
    expect(viewIds(twice)).toEqual(["m0", "c2", "m5", "m6", "m7", "m8"]);
    expect(viewIds(thrice)).toEqual(["m0", "c3", "m6", "m7", "m8"]);
  });

  test("hides a marker inside a condensed span together with what the marker hid", () => {
    const truncated = truncate(chat(8), "t1", ["m1", "m2"]);
    expect(viewIds(condense(truncated, "c1", ["t1", "m3", "m4"]))).toEqual(["m0", "c1", "m5", "m6", "m7"]);
  });

  test("shows a stand-in that a damaged log tagged with its own id", () => {
    const condensed = condense(chat(6), "c1", ["m1", "m2"]);
    const selfTagged = condensed.map((message) =>
      message.id === "c1" ? tag(message, { condenseParent: "c1" }) : message,
    );
    expect(viewIds(selfTagged)).toEqual(["m0", "c1", "m3", "m4", "m5"]);
    const marker = { isTruncationMarker: true, truncationId: "t1", truncationParent: "t1" };
    expect(viewIds(log(user("go"), tag(user("marker"), marker)))).toEqual(["m0", "m1"]);
  });

  test("ends on summaries that hide each other, and the log can still be restored", () => {
    const condensed = condense(condense(chat(6), "c1", ["m1"]), "c2", ["c1", "m2"]);
    const cyclic = condensed.map((message) => (message.id === "c2" ? tag(message, { condenseParent: "c1" }) : message));
    expect(viewIds(cyclic)).toEqual(["m0", "m3", "m4", "m5"]);
    expect(restoreAllMessages(cyclic)).toEqual(chat(6));
  });

  // Following the nesting from each message, or looking for its summary in the log, would run for minutes.
  test("shows the outermost of 100,000 nested summaries, and nothing that they hide", () => {
    const rounds = Array.from({ length: 100_000 }, (_, round) => [
      tag(user(`said ${round}`), { id: `m${round}`, condenseParent: `c${round}` }),
      tag(assistant("so far"), {
        ...{ id: `c${round}`, isSummary: true, condenseId: `c${round}` },
        ...(round === 99_999 ? {} : { condenseParent: `c${round + 1}` }),
      }),
    ]);
    expect(viewIds([tag(user("go"), { id: "first" }), ...rounds.flat(), ...chat(2)])).toEqual([
      "first",
      "c99999",
      "m0",
      "m1",
    ]);
  });
});

describe("showing folded blocks", () => {
  test("puts the stand-in in the block's place and leaves its neighbours the same objects", () => {
    const message = user(result("t1"), result("t2"), "and go on");
    const shown = renderOne(tag(message, { folds: [fold(1, result("t2", "stub"))] }));
    expect(shown.content).toEqual([result("t1"), result("t2", "stub"), text("and go on")]);
    expect(shown.content[0]).toBe(message.content[0]);
    expect(shown).not.toHaveProperty("folds");
  });

  test("keeps a string a string", () => {
    expect(renderOne(tag(user("long"), { folds: [fold(0, text("stub"))] })).content).toBe("stub");
  });

  test("shows a stand-in without text as a block, also for a string", () => {
    const standIn = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
    expect(renderOne(tag(user("long"), { folds: [fold(0, standIn)] })).content).toEqual([standIn]);
  });

  test("shows the last of several folds on one block", () => {
    const folds = [fold(0, text("first"), "f1"), fold(0, text("second"), "f2")];
    expect(renderOne(tag(user("long"), { folds })).content).toBe("second");
    expect(renderOne(tag(user("long", "b"), { folds })).content).toEqual([text("second"), text("b")]);
  });

  test.each([-1, 1, 99])("ignores a fold on block %i where there is none", (block) => {
    const folds = [fold(block, text("stub"))];
    expect(renderOne(tag(user("whole"), { folds })).content).toBe("whole");
    expect(renderOne(tag(user(text("whole")), { folds })).content).toEqual([text("whole")]);
  });

  test("gives the same object for the same folded message, however often it is asked", () => {
    const messages = log(user("go"), tag(user("long"), { folds: [fold(0, text("stub"))] }));
    const [first, second] = [effectiveView(messages), effectiveView([...messages])];
    expect(second[1]).toBe(first[1]);
  });

  test("shows the message itself again once its folds are gone", () => {
    const message = log(tag(user("long"), { folds: [] }))[0];
    expect(effectiveView(message === undefined ? [] : [message])[0]).toBe(message);
  });

  test("carries unknown fields and unknown blocks of a folded message", () => {
    const thinking = { type: "reasoning", text: "hm", signature: "sealed" };
    const unknown = { type: "server_tool_use", payload: [1, null] };
    const message = tag(assistant(thinking, unknown, call("t1"), "long"), { id: "a", vendor: { cached: true } });
    expect(renderOne(tag(message, { folds: [fold(3, text("stub"))] }))).toEqual({
      ...message,
      content: [thinking, unknown, call("t1"), text("stub")],
    });
  });
});
