import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { listFolds } from "../history/list-folds.ts";
import { restoreAllMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { findStanding } from "../standing/find-standing.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { clearToolResults } from "./clear-tool-results.ts";
import { addNotice, isNoticeDue, lastNoticePercent, noticeText, type WindowUse } from "./notice.ts";

const use: WindowUse = { promptTokens: 76_000, contextWindow: 200_000, foldsAtTokens: 90_000, targetTokens: 30_100 };
const LINE = "[context: 38 % of 200,000 tokens used; at 45 % the oldest 60,000 will be folded]";
const options = { use, countTokens: countContentTokens, taskId: "task" };

const told = (messages: readonly Message[]) => addNotice(messages, options).messages;
const newest = (messages: readonly Message[]) => effectiveView(told(messages)).at(-1)?.content;

test("says how full the window is and what comes next", () => {
  expect(noticeText(use)).toBe(LINE);
  expect(noticeText({ ...use, targetTokens: undefined })).toBe(
    "[context: 38 % of 200,000 tokens used; at 45 % the oldest messages will be folded]",
  );
});

describe("is due", () => {
  const at = (percent: number): WindowUse => ({ ...use, promptTokens: 2_000 * percent });

  test.each([
    [19, undefined, false],
    [20, undefined, true],
    [29, 20, false],
    [29.9, 21, false],
    [30, 29, true],
    [25, 38, false],
    [51, 38, true],
  ])("at %d %% after %s %%: %s", (percent, last, isDue) => {
    expect(isNoticeDue(at(percent), last)).toBe(isDue);
  });
});

describe("stands at the end of what the model reads next:", () => {
  const calls = [assistant(call("a", "read", {}))];

  test.each<[string, readonly Message[], unknown]>([
    ["a text", log(user("Go on.")), `Go on.\n\n${LINE}`],
    ["the text of a result", log(...calls, user(result("a", "x = 1"))), [result("a", `x = 1\n\n${LINE}`)]],
    ["an empty result", log(...calls, user({ type: "tool_result", tool_use_id: "a" })), [result("a", LINE)]],
    [
      "a result of blocks",
      log(...calls, user({ ...result("a"), content: [{ type: "text", text: "x" }] })),
      [
        {
          ...result("a"),
          content: [
            { type: "text", text: "x" },
            { type: "text", text: LINE },
          ],
        },
      ],
    ],
    [
      "the last block with a text",
      log(user({ type: "text", text: "See." }, { type: "image", source: { type: "url", url: "u" } })),
      [
        { type: "text", text: `See.\n\n${LINE}` },
        { type: "image", source: { type: "url", url: "u" } },
      ],
    ],
  ])("%s", (_, messages, shown) => {
    expect(newest(messages)).toEqual(shown);
    expect(restoreAllMessages(told(messages))).toEqual(messages);
    expect(lastNoticePercent(told(messages))).toBe(38);
  });

  test.each<[string, readonly Message[]]>([
    ["the model's own words", log(user("Go on."), assistant("Done."))],
    ["an image alone", log(user({ type: "image", source: { type: "url", url: "u" } }))],
    ["nothing", []],
  ])("not at that of %s", (_, messages) => {
    expect(told(messages)).toBe(messages);
    expect(lastNoticePercent(messages)).toBeUndefined();
  });
});

test("hides nothing: no fold is listed, the person's request stands, and a result can be cleared", () => {
  const request = told(log(user("Fix the lamp.")));
  expect(listFolds(request)).toEqual([]);
  expect(findStanding(request).size).toBe(findStanding(log(user("Fix the lamp."))).size);
  const calls = ["a", "b"].flatMap((id) => [
    assistant(call(id, "read", { id })),
    user(result(id, "x = 1; ".repeat(400))),
  ]);
  const read = told(log(user("Fix the lamp."), ...calls));
  const cleared = clearToolResults([...read, ...log(assistant("Read."))], {
    countTokens: countContentTokens,
    taskId: "task",
    keepNewest: 0,
    minGainTokens: 0,
  });
  expect(cleared.blocks).toBe(2);
  expect(JSON.stringify(effectiveView(cleared.messages))).not.toContain("[context:");
});
