import { describe, expect, test } from "vitest";
import { chat, condense, tag, text, truncate } from "../../../test/support/messages.ts";
import { foldBlocks } from "../message/block-folds.ts";
import type { Message } from "../message/message.ts";
import { listFolds } from "./list-folds.ts";

const stub = { standIn: text("stub"), hiddenTokens: 5 };

describe("listFolds", () => {
  test("finds none in a fresh log", () => {
    expect(listFolds([])).toEqual([]);
    expect(listFolds(chat(4))).toEqual([]);
  });

  test("names each fold once, with its kind and what it hides, those of blocks first", () => {
    let messages = foldBlocks(chat(10), { foldId: "f1", kind: "clear" }, [
      { messageIndex: 8, blockIndex: 0, ...stub },
      { messageIndex: 6, blockIndex: 0, ...stub },
    ]);
    messages = truncate(messages, "t1", ["m3", "m4", "m5"]);
    messages = condense(messages, "c1", ["m1", "m2"]);
    expect(listFolds(messages)).toEqual([
      { foldId: "f1", kind: "clear", messages: 0, blocks: 2 },
      { foldId: "c1", kind: "condense", messages: 2, blocks: 0 },
      { foldId: "t1", kind: "truncate", messages: 3, blocks: 0 },
    ]);
  });

  test("counts a hidden stand-in among what the newer fold hides", () => {
    const messages = condense(truncate(chat(8), "t1", ["m1", "m2"]), "c1", ["t1", "m3"]);
    expect(listFolds(messages)).toEqual([
      { foldId: "t1", kind: "truncate", messages: 2, blocks: 0 },
      { foldId: "c1", kind: "condense", messages: 2, blocks: 0 },
    ]);
  });

  test("lists a stand-in that hides nothing any more", () => {
    expect(listFolds(condense(chat(2), "c1", []))).toEqual([
      { foldId: "c1", kind: "condense", messages: 0, blocks: 0 },
    ]);
  });

  test("leaves out tags that point to nothing", () => {
    expect(
      listFolds(chat(3).map((message) => tag(message, { condenseParent: "gone", truncationParent: "t9" }))),
    ).toEqual([]);
  });

  test("does not count a stand-in as hidden by itself", () => {
    const messages = condense(chat(4), "c1", ["m1"]).map((message) =>
      message.id === "c1" ? tag(message, { condenseParent: "c1" }) : message,
    );
    expect(listFolds(messages)).toEqual([{ foldId: "c1", kind: "condense", messages: 1, blocks: 0 }]);
  });
});

test("lists a condensation that shortened a block after the clip of its summary: that goes with it", () => {
  const stub = { blockIndex: 0, standIn: { type: "text", text: "stub" }, hiddenTokens: 1 } as const;
  const log: readonly Message[] = [
    { role: "user", content: "kept, and shortened", folds: [{ ...stub, foldId: "condense-1", kind: "clear" }] },
    { role: "assistant", content: "hidden", condenseParent: "condense-1" },
    {
      ...{ role: "assistant", content: "a long summary", isSummary: true, condenseId: "condense-1" },
      folds: [{ ...stub, foldId: "clip-1", kind: "clip" }],
    },
  ];
  expect(listFolds(log).map(({ foldId, kind }) => [foldId, kind])).toEqual([
    ["clip-1", "clip"],
    ["condense-1", "condense"],
  ]);
});
