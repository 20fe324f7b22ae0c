import { expect, test } from "vitest";
import { chat, condense, user } from "../../../../test/support/messages.ts";
import { untyped } from "../../../../test/support/sessions.ts";
import { compareLogs } from "../../../core/history/log-patch.ts";
import { isRewrite, type LogRecord, readRecord, writeRecord } from "./log-record.ts";

const folded = condense(chat(4), "c1", ["m1", "m2"]);
const patch = compareLogs(chat(4), folded)?.patch ?? { removed: [], changed: [], inserted: [] };
const [summary = user("none")] = folded.slice(3, 4);
const RECORDS: readonly (readonly [name: string, record: LogRecord, isRewrite: boolean])[] = [
  ["a message", { type: "message", message: user("\ud800\u0000") }, false],
  ["a summary", { type: "message", message: summary }, true],
  ["a fold", { type: "patch", patch }, true],
  ["a rewind", { type: "rewind", toVersion: 3, isUndo: false, filesBefore: "abc" }, true],
  ["an event", { type: "event", event: { type: "restored", at: 1, foldId: "c1" } }, false],
];
const PLACE = { sessionId: "task", version: 7 };

test.each(RECORDS)("%s is read as it was written", (_, record, rewrites) => {
  const { body, record: written } = writeRecord(record);
  expect(readRecord(body, PLACE)).toEqual(record);
  expect(written).toEqual(record);
  expect(isRewrite(written)).toBe(rewrites);
});

test("what JSON leaves out is gone from what is written at once, not only when it is read", () => {
  const { record } = writeRecord({ type: "message", message: untyped({ ...user("x"), id: undefined }) });
  expect(record).toStrictEqual({ type: "message", message: user("x") });
});

test.each([
  "",
  "{",
  "null",
  "[]",
  "{}",
  '{"type":"message","message":{"role":"user"}}',
  '{"type":"patch","patch":{"removed":[],"changed":[]}}',
  '{"type":"patch","patch":{"removed":["0"],"changed":[],"inserted":[]}}',
  '{"type":"rewind","toVersion":"3","isUndo":false}',
  '{"type":"event","event":"restored"}',
])("%s is no record, and the error says where it is", (body) => {
  expect(() => readRecord(body, PLACE)).toThrow(
    expect.objectContaining({
      code: "store-damaged",
      message: expect.stringContaining('Record 7 of the session "task"'),
    }),
  );
});
