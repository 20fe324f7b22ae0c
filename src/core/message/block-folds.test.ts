import { describe, expect, test } from "vitest";
import { assistant, call, log, result, text, user } from "../../../test/support/messages.ts";
import { foldBlocks } from "./block-folds.ts";

const messages = log(user("go"), assistant(call("t1"), call("t2")), user(result("t1"), result("t2")));
const stub = { standIn: text("stub"), hiddenTokens: 7 };

describe("foldBlocks", () => {
  test("puts all blocks of one act under one id, in the messages that hold them", () => {
    const folded = foldBlocks(messages, { foldId: "f1", kind: "clear" }, [
      { messageIndex: 2, blockIndex: 1, ...stub },
      { messageIndex: 2, blockIndex: 0, ...stub },
      { messageIndex: 0, blockIndex: 0, ...stub },
    ]);
    const fold = { foldId: "f1", kind: "clear", ...stub };
    expect(folded[2]?.folds).toEqual([
      { ...fold, blockIndex: 1 },
      { ...fold, blockIndex: 0 },
    ]);
    expect(folded[0]?.folds).toEqual([{ ...fold, blockIndex: 0 }]);
    expect(folded[1]).toBe(messages[1]);
  });

  test("keeps the original content and earlier folds underneath", () => {
    const once = foldBlocks(messages, { foldId: "f1", kind: "clear" }, [{ messageIndex: 2, blockIndex: 0, ...stub }]);
    const twice = foldBlocks(once, { foldId: "f2", kind: "clip" }, [{ messageIndex: 2, blockIndex: 0, ...stub }]);
    expect(twice[2]?.folds?.map((fold) => fold.foldId)).toEqual(["f1", "f2"]);
    expect(twice[2]?.content).toBe(messages[2]?.content);
  });

  test("changes no message when nothing is asked", () => {
    const folded = foldBlocks(messages, { foldId: "f1", kind: "clear" }, []);
    expect(folded.every((message, index) => message === messages[index])).toBe(true);
  });
});
