import { describe, expect, test } from "vitest";
import { chat, condense, tag, text, truncate } from "../../../test/support/messages.ts";
import { newFoldId } from "./fold-id.ts";
import type { Message } from "./message.ts";

const messages = chat(6);
const firstId = newFoldId("truncate", "task", messages);

describe("newFoldId", () => {
  test("follows from the task and the log alone", () => {
    expect(newFoldId("truncate", "task", structuredClone(messages))).toBe(firstId);
  });

  test("starts with its kind and is short enough to repeat", () => {
    expect(firstId).toMatch(/^truncate-[0-9a-z]{7}$/);
    expect(newFoldId("dedupe", "task", [])).toMatch(/^dedupe-[0-9a-z]{7}$/);
  });

  test("differs by task, by length and by last message", () => {
    const others = [
      newFoldId("truncate", "other", messages),
      newFoldId("truncate", "task", messages.slice(0, 5)),
      newFoldId("truncate", "task", [...messages.slice(0, 5), { ...messages[0], role: "user", content: "" }]),
    ];
    expect(new Set([firstId, ...others]).size).toBe(4);
  });

  const traces: readonly [string, (id: string) => Partial<Message>][] = [
    ["a message id", (id) => ({ id })],
    ["a summary", (id) => ({ condenseId: id })],
    ["a condensed message", (id) => ({ condenseParent: id })],
    ["a marker", (id) => ({ truncationId: id })],
    ["a truncated message", (id) => ({ truncationParent: id })],
    [
      "a block fold",
      (id) => ({ folds: [{ foldId: id, kind: "clip", blockIndex: 0, standIn: text("…"), hiddenTokens: 1 }] }),
    ],
  ];
  test.each(traces)("never repeats an id that is in use by %s", (_, fieldsWith) => {
    let used = messages;
    const seen = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const id = newFoldId("truncate", "task", used);
      expect(seen).not.toContain(id);
      seen.add(id);
      used = used.with(round, tag(used[round] ?? { role: "user", content: "" }, fieldsWith(id)));
    }
  });

  test("finds a free id each time a log is folded again", () => {
    let folded = messages;
    for (const hidden of ["m1", "m2", "m3", "m4"]) {
      folded = condense(folded, newFoldId("condense", "task", folded), [hidden]);
      folded = truncate(folded, newFoldId("truncate", "task", folded), [hidden]);
    }
    const used = folded.flatMap(({ condenseId, truncationId }) => [condenseId, truncationId].filter((id) => id));
    expect(new Set(used).size).toBe(8);
  });
});
