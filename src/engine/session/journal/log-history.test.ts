import { describe, expect, test } from "vitest";
import { chat, condense, ids, user } from "../../../../test/support/messages.ts";
import { diffLogs } from "../../../core/history/log-patch.ts";
import type { Message } from "../../../core/message/message.ts";
import { createLogHistory } from "./log-history.ts";
import type { LogRecord } from "./log-record.ts";

const said = (message: Message): LogRecord => ({ type: "message", message });
const rewound = (toVersion: number): LogRecord => ({ type: "rewind", toVersion, isUndo: false });
const FOLDED = condense(chat(4), "c1", ["m1", "m2"]);
const fold: LogRecord = {
  type: "patch",
  patch: diffLogs(chat(4), FOLDED) ?? { removed: [], changed: [], inserted: [] },
};
const event: LogRecord = { type: "event", event: { type: "restored", at: 0, foldId: "x" } };

function historyOf(...records: readonly LogRecord[]) {
  const history = createLogHistory("task");
  history.add(records);
  return history;
}

describe("a log's history", () => {
  test("gives the log of every version", () => {
    const history = historyOf(...chat(4).map(said), fold, event, said(user("more")));
    expect(history.version()).toBe(7);
    expect(history.rewriteVersion()).toBe(5);
    expect(history.logAt(0)).toEqual([]);
    expect(history.pathTo(-1)).toEqual([]);
    expect(history.logAt(4)).toEqual(chat(4));
    expect(history.logAt(5)).toEqual(FOLDED);
    expect(history.logAt(6)).toEqual(FOLDED);
    expect(history.logAt(7)).toEqual([...FOLDED, user("more")]);
  });

  test("leaves out what was rewound, also where a rewind leads behind another", () => {
    const other = { ...user("other"), id: "other" };
    const history = historyOf(...chat(4).map(said), rewound(2), said(other), rewound(4), rewound(6), event);
    expect(ids(history.logAt(6))).toEqual(["m0", "m1", "other"]);
    expect(history.logAt(7)).toEqual(chat(4));
    expect(ids(history.logAt(9))).toEqual(["m0", "m1", "other"]);
    expect(history.pathTo(9).map(({ version }) => version)).toEqual([1, 2, 6, 9]);
  });

  test("gives arrays that nobody shares", () => {
    const history = historyOf(...chat(2).map(said));
    history.logAt(2).pop();
    expect(history.logAt(2)).toEqual(chat(2));
  });

  test("says which record changes what is not there", () => {
    const history = historyOf(said(user("x")), fold, said(user("y")));
    expect(() => history.logAt(3)).toThrow(expect.objectContaining({ code: "store-damaged" }));
    expect(() => history.logAt(3)).toThrow('Record 2 of the session "task"');
    expect(history.logAt(1)).toEqual([user("x")]);
  });
});
