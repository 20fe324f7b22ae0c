import { expect, test } from "vitest";
import type { Message } from "../../message/message.ts";
import { judgeAhead, judgeLog } from "./judge-log.ts";

const log: readonly Message[] = [
  { role: "user", content: "Why does src/tide.ts fail?" },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "1", name: "Read", input: { file_path: "src/tide.ts" } }],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "1", content: "export const tideTable = readTable();" }],
  },
];

test("what was judged ahead is taken, until it is given up", () => {
  const fresh = judgeLog(log);
  const giveUp = judgeAhead(log);
  const taken = judgeLog(log);
  expect(judgeLog(log)).toBe(taken);
  expect(taken).toEqual(fresh);
  giveUp();
  expect(judgeLog(log)).not.toBe(taken);
});

test("a log that folds have tagged says the same", () => {
  const giveUp = judgeAhead(log);
  const tagged = log.map((message) => ({ ...message, condenseParent: "condense-1" }));
  expect(judgeLog(tagged)).toBe(judgeLog(log));
  giveUp();
});

test("another log that ends alike is judged by itself", () => {
  const giveUp = judgeAhead(log);
  const [, ...rest] = log;
  const other = judgeLog([{ role: "user", content: "Why does src/moon.ts fail?" }, ...rest]);
  expect([...other.weights.keys()]).toContain("src/moon.ts");
  expect(other).not.toBe(judgeLog(log));
  giveUp();
});
