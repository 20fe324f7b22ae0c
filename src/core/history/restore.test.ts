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
import { PalimpsestError } from "../errors.ts";
import { foldBlocks } from "../message/block-folds.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { validateView } from "../message/validate-view.ts";
import { listFolds } from "./list-folds.ts";
import { applyPatch, compareLogs } from "./log-patch.ts";
import { restoreAllMessages, restoreMessages } from "./restore.ts";

const viewIds = (messages: readonly Message[]) => ids(effectiveView(messages));
const signed = { type: "reasoning", text: "hm", signature: "sealed" };

/** Ten turns with parallel calls, spread results, and things that we do not know. */
const original = log(
  user("go"),
  assistant(signed, call("a")),
  user(result("a", "long output")),
  tag(assistant(call("b"), call("c")), { vendor: { cached: true } }),
  user(result("b", "long output")),
  user(result("c"), { type: "document" }),
  assistant("done with that"),
  user("next"),
  assistant(call("d")),
  user(result("d")),
);

const clear = (messages: readonly Message[], foldId: string, id: string) => {
  const messageIndex = messages.findIndex((message) => message.id === id);
  const block = messages[messageIndex]?.content[0];
  const toolUseId = typeof block === "object" && "tool_use_id" in block ? block.tool_use_id : "";
  const standIn = { ...result(String(toolUseId), "stub") };
  return deepFreeze(
    foldBlocks(messages, { foldId, kind: "clear" }, [{ messageIndex, blockIndex: 0, standIn, hiddenTokens: 4 }]),
  );
};

function permutations(values: readonly string[]): readonly (readonly string[])[] {
  if (values.length === 0) return [[]];
  return values.flatMap((value) =>
    permutations(values.filter((other) => other !== value)).map((rest) => [value, ...rest]),
  );
}

/** Restores in the given order; every view on the way must be one that a provider takes. */
function restoreInOrder(messages: readonly Message[], order: readonly string[]): readonly Message[] {
  let current = messages;
  for (const id of order) {
    expect(validateView(effectiveView(current))).toEqual([]);
    current = deepFreeze(restoreMessages(current, id));
  }
  return current;
}

describe("restoring folds one by one, in any order, gives back the original byte for byte:", () => {
  const truncated = truncate(original, "t1", ["m1", "m2"]);
  const carrier = tag(assistant("summary", call("b"), call("c")), { id: "c1", isSummary: true, condenseId: "c1" });
  const carrying = condense(original, "c1", ["m1", "m2", "m3"]).with(4, carrier);
  const logs: Record<string, readonly Message[]> = {
    "three nested summaries": condense(
      condense(condense(original, "c1", ["m1", "m2"]), "c2", ["c1", "m3", "m4", "m5"]),
      "c3",
      ["c2", "m6", "m7"],
    ),
    "a marker in a summary behind a marker, and block folds": truncate(
      condense(clear(clear(truncated, "f1", "m4"), "f2", "m9"), "c1", ["t1", "m3", "m4", "m5"]),
      "t2",
      ["c1", "m6"],
    ),
    "folds side by side": condense(truncate(clear(original, "f1", "m9"), "t1", ["m1", "m2"]), "c1", ["m3", "m4", "m5"]),
    "two folds on one block": condense(clear(clear(original, "f1", "m4"), "f2", "m4"), "c1", ["m3", "m4", "m5"]),
    "messages under both kinds of tag": condense(truncated, "c1", ["m1", "m2", "t1", "m3", "m4", "m5"]),
    "a summary that carries the calls of kept results, truncated with them": truncate(carrying, "t1", [
      "c1",
      "m4",
      "m5",
    ]),
    "markers within markers": truncate(truncate(truncated, "t2", ["t1", "m3", "m4", "m5"]), "t3", ["t2", "m6", "m7"]),
  };
  test.each(Object.entries(logs))("%s", (_, messages) => {
    const foldIds = listFolds(messages).map((fold) => fold.foldId);
    for (const order of permutations(foldIds)) {
      expect(JSON.stringify(restoreInOrder(messages, order))).toBe(JSON.stringify(original));
    }
    expect(JSON.stringify(restoreAllMessages(messages))).toBe(JSON.stringify(original));
  });
});

describe("restoreMessages", () => {
  test("lets a newer summary take over what the restored one hid", () => {
    const nested = condense(condense(chat(8), "c1", ["m1", "m2"]), "c2", ["c1", "m3"]);
    const restored = restoreMessages(nested, "c1");
    expect(viewIds(restored)).toEqual(viewIds(nested));
    expect(ids(restored)).not.toContain("c1");
    expect(restored[1]).toMatchObject({ id: "m1", condenseParent: "c2" });
  });

  test("brings back the stand-in that the restored fold hid", () => {
    const nested = condense(condense(chat(6), "c1", ["m1", "m2"]), "c2", ["c1", "m3"]);
    expect(viewIds(restoreMessages(nested, "c2"))).toEqual(["m0", "c1", "m3", "m4", "m5"]);
  });

  test("leaves messages that the fold did not hide the same objects", () => {
    const folded = truncate(condense(chat(8), "c1", ["m1", "m2"]), "t1", ["m4"]);
    const restored = restoreMessages(folded, "c1");
    for (const id of ["m0", "m3", "m4", "t1", "m5"]) {
      expect(restored.find((message) => message.id === id)).toBe(folded.find((message) => message.id === id));
    }
  });

  test("refuses an id that no fold has, and names the way to find one", () => {
    for (const id of ["c9", "m1", ""]) {
      const restore = () => restoreMessages(condense(chat(4), "c1", ["m1"]), id);
      expect(restore).toThrow(PalimpsestError);
      expect(restore).toThrow(
        expect.objectContaining({ code: "unknown-fold", message: expect.stringContaining(`"${id}"`) }),
      );
    }
  });

  test("refuses a block fold that went away with the summary that it clipped", () => {
    const clipped = foldBlocks(condense(chat(4), "c1", ["m1"]), { foldId: "f1", kind: "clip" }, [
      { messageIndex: 2, blockIndex: 0, standIn: text("…"), hiddenTokens: 1 },
    ]);
    const restored = restoreMessages(clipped, "c1");
    expect(restored).toEqual(chat(4));
    expect(() => restoreMessages(restored, "f1")).toThrow(/No fold has the id "f1"/);
  });
});

test("the folds of one list come off in its order, also where one of them clips a summary that comes off too", () => {
  const folded = foldBlocks(condense(chat(6), "c1", ["m1", "m2"]), { foldId: "f1", kind: "clip" }, [
    { messageIndex: 3, blockIndex: 0, standIn: text("…"), hiddenTokens: 1 },
  ]);
  expect(ids(folded)[3]).toBe("c1");
  const order = listFolds(folded).map(({ foldId }) => foldId);
  expect(restoreInOrder(folded, order)).toEqual(chat(6));
});

describe("damaged logs", () => {
  const retag = (messages: readonly Message[], id: string, fields: Partial<Message>) =>
    deepFreeze(messages.map((message) => (message.id === id ? tag(message, fields) : message)));

  test("a summary tagged with its own id leaves no tag behind", () => {
    const damaged = retag(condense(chat(6), "c1", ["m1", "m2"]), "c1", { condenseParent: "c1" });
    expect(restoreMessages(damaged, "c1")).toEqual(chat(6));
  });

  test("summaries that hide each other are undone one by one, in either order", () => {
    const damaged = retag(condense(condense(chat(6), "c1", ["m1"]), "c2", ["c1", "m2"]), "c2", {
      condenseParent: "c1",
    });
    for (const [first, second] of [
      ["c1", "c2"],
      ["c2", "c1"],
    ] as const) {
      expect(restoreMessages(restoreMessages(damaged, first), second)).toEqual(chat(6));
    }
  });

  test("a tag of the restored stand-in that points to nothing is not handed down", () => {
    const damaged = retag(condense(chat(6), "c1", ["m1", "m2"]), "c1", {
      condenseParent: "gone",
      truncationParent: "gone",
    });
    expect(restoreMessages(damaged, "c1")).toEqual(chat(6));
  });

  test("a tag that points to nothing does not keep a message out of the fold that takes over", () => {
    const dangling = retag(chat(8), "m1", { condenseParent: "gone" });
    const nested = condense(truncate(dangling, "t1", ["m1", "m2"]), "c1", ["t1", "m3", "m4"]);
    expect(viewIds(restoreMessages(nested, "t1"))).toEqual(viewIds(nested));
  });

  test("a tag that points to nothing stays as it was when another fold comes off", () => {
    const dangling = retag(chat(6), "m1", { condenseParent: "gone" });
    expect(restoreMessages(truncate(dangling, "t1", ["m1", "m2"]), "t1")).toEqual(dangling);
  });

  test("a second stand-in with the same id goes too", () => {
    const folded = condense(chat(4), "c1", ["m1"]);
    expect(restoreMessages([...folded, ...folded.slice(2, 3)], "c1")).toEqual(chat(4));
  });
});

describe("restoreAllMessages", () => {
  test("leaves a log alone in which nothing is folded, also where tags point to nothing", () => {
    const [first, ...rest] = chat(3);
    const dangling = tag(first ?? user(""), { condenseParent: "gone", truncationParent: "gone", folds: [] });
    expect(restoreAllMessages([dangling, ...rest])).toEqual([dangling, ...rest]);
  });

  test("leaves untouched messages the same objects", () => {
    const folded = condense(original, "c1", ["m1", "m2"]);
    expect(restoreAllMessages(folded)[3]).toBe(original[3]);
  });
});

test("what an inner fold hid before the stand-in that the log opens with stays hidden with the messages around it", () => {
  const messages = log(user("go"), assistant(call("a")), user(result("a")), assistant(call("b")), user(result("b")));
  const inner = (message: Message) => tag(message, { condenseParent: "inner" });
  const outer = (message: Message) => tag(message, { condenseParent: "outer" });
  const folded = [
    ...messages.map((message, index) => (index === 1 || index === 2 ? inner(message) : outer(message))),
    tag(user("snapshot"), { isSummary: true, condenseId: "outer" }),
    tag(assistant("summary"), { isSummary: true, condenseId: "inner" }),
  ];
  const restored = restoreMessages(folded, "inner");
  expect(effectiveView(restored).map(({ content }) => content)).toEqual(["snapshot"]);
  expect(restoreMessages(restored, "outer")).toEqual(messages);
});

test("what a kept patch makes of the log is what restoring gave, byte for byte", () => {
  const summary: Message = { role: "user", content: "ledger", isSummary: true, condenseId: "c" };
  const marker = (truncationId: string, tags: Partial<Message> = {}): Message => ({
    role: "user",
    content: "marker",
    isTruncationMarker: true,
    truncationId,
    ...tags,
  });
  const log: readonly Message[] = [
    { role: "user", content: "go", condenseParent: "c" },
    { role: "assistant", content: "inner", truncationParent: "inner" },
    marker("inner", { truncationParent: "outer" }),
    marker("outer", { condenseParent: "c" }),
    summary,
  ];
  const restored = restoreMessages(log, "inner");
  const patch = compareLogs(log, restored)?.patch;
  expect(patch && JSON.stringify(applyPatch(log, patch))).toBe(JSON.stringify(restored));
});
