/** Whether the chaos tests would notice: each kind of loss, made on purpose. */
import { expect, test } from "vitest";
import type { LogRecord } from "../../src/engine/session/journal/log-record.ts";
import { getEffectiveApiHistory } from "../../src/index.ts";
import { findBreaches } from "./find-breaches.ts";
import type { FoundSession } from "./read-session.ts";
import { counterMessage, turnOf } from "./turns.ts";
import type { WriterLine } from "./writer-lines.ts";

const said = [counterMessage(0), ...turnOf("anna", 0), ...turnOf("anna", 1), ...turnOf("anna", 2)];
const session = "s";
const appended = [0, 1, 2].map((turn): WriterLine => ({ type: "appended", session, turn }));

/** A session that an engine would make of these messages and records. */
function found(messages: typeof said, more: readonly LogRecord[] = [], log = messages): FoundSession {
  const records = [...messages.map((message): LogRecord => ({ type: "message", message })), ...more];
  const recordVersions = records.map((_, index) => index + 1);
  return { id: session, version: records.length, records, recordVersions, log, view: getEffectiveApiHistory(log) };
}

function breaches(session: FoundSession, lines: readonly WriterLine[] = appended): string {
  return findBreaches(session, new Map([["anna", lines]])).join("\n");
}

test("finds nothing wrong where nothing is", () => {
  expect(breaches(found(said))).toBe("");
  const begun: WriterLine = { type: "began", session, operation: "append", turn: 2 };
  expect(breaches(found(said), [...appended.slice(0, 2), begun])).toBe("");
});

const withoutTurn1 = said.filter(({ id }) => !id?.startsWith("anna:1:"));
const swapped = [counterMessage(0), ...turnOf("anna", 1), ...turnOf("anna", 0), ...turnOf("anna", 2)];
const reworded = said.map((message) => (message.id === "anna:1:0:1" ? message : { ...message, ts: 5 }));
const count = (value: number): LogRecord => {
  const changed = [{ index: 0, set: { content: counterMessage(value).content }, unset: [] }];
  return { type: "patch", patch: { removed: [], changed, inserted: [] } };
};
const updated: WriterLine = { type: "updated", session, count: 1 };
const rewound: WriterLine = { type: "rewound", session, version: 3, toVersion: 1, isUndo: false };

test.each<[string, FoundSession, readonly WriterLine[], string]>([
  ["a lost turn", found(withoutTurn1), appended, "turn 1 of anna was acknowledged and is lost"],
  ["a turn that was refused", found(said), appended.slice(0, 2), "turn 2 of anna is there, but was refused"],
  ["turns in another order", found(swapped), appended, "not in its order"],
  ["a turn twice", found([...said, ...turnOf("anna", 2)]), appended, "in part, twice, or with other bytes"],
  ["other bytes", found(reworded), appended, "with other bytes"],
  ["a stranger's message", found([...said, ...turnOf("ben", 0)]), appended, "nobody said the message ben:0"],
  ["a log without its last message", found(said, [], said.slice(0, -1)), appended, "the log is not what was said"],
  ["a gap in the numbers", { ...found(said), version: said.length + 1 }, appended, "are not numbered up to"],
  [
    "a lost update",
    found(said),
    [...appended, updated],
    "1 updates were acknowledged and 0 left open, but 0 are there",
  ],
  ["an update over another", found(said, [count(1), count(1)]), [...appended, updated, updated], "counts 1 after 1"],
  ["a lost rewind", found(said), [...appended, rewound], "the rewind of version 3 was acknowledged and is lost"],
  [
    "a version that went back",
    found(said),
    [...appended, { type: "looked", session, version: 3 }, { type: "looked", session, version: 2 }],
    "version 2 was seen after 3",
  ],
])("notices %s", (_, session, lines, breach) => {
  expect(breaches(session, lines)).toContain(breach);
});
