import { describe, expect, test } from "vitest";
import { chat, condense, ids, user } from "../../../../test/support/messages.ts";
import { compareLogs, type LogPatch } from "../../../core/history/log-patch.ts";
import type { Message } from "../../../core/message/message.ts";
import { createLogHistory, type ForeseenFold } from "./log-history.ts";
import type { LogRecord } from "./log-record.ts";

const said = (message: Message): LogRecord => ({ type: "message", message });
const rewound = (toVersion: number): LogRecord => ({ type: "rewind", toVersion, isUndo: false });
const FOLDED = condense(chat(4), "c1", ["m1", "m2"]);
const fold: LogRecord = {
  type: "patch",
  patch: compareLogs(chat(4), FOLDED)?.patch ?? { removed: [], changed: [], inserted: [] },
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

describe("what a fold is foreseen to make of a log", () => {
  const before = chat(4).map((message) => Object.freeze({ ...message }));
  const difference = compareLogs(before, condense(before, "c1", ["m1", "m2"])) ?? {
    patch: { removed: [], changed: [], inserted: [] },
    changedTo: [],
  };
  // As it is read again once it was kept.
  const kept = (): LogPatch => JSON.parse(JSON.stringify(difference.patch));

  function patchedAfter(foreseen: ForeseenFold): readonly Message[] {
    const history = createLogHistory("task");
    history.foresee(foreseen);
    return history.patched(before, kept()) ?? [];
  }

  test("is taken as it is where the patch makes just that", () => {
    const after = patchedAfter({ ...difference, before });
    expect(after).toEqual(condense(chat(4), "c1", ["m1", "m2"]));
    expect(difference.changedTo.length).toBe(2);
    for (const message of difference.changedTo) expect(after).toContain(message);
  });

  test("is passed over where the patch makes another message of it, or of another one", () => {
    const reordered = difference.changedTo.map(({ role, ...rest }) => ({ ...rest, role }));
    const copies = before.map((message) => ({ ...message }));
    const others = {
      ...difference.patch,
      changed: difference.patch.changed.map((each) => ({ ...each, set: { x: 1 } })),
    };
    for (const foreseen of [
      { ...difference, changedTo: reordered, before },
      { ...difference, before: copies },
      { ...difference, patch: others, before },
      { ...difference, patch: { ...difference.patch, changed: [] }, before },
    ]) {
      const after = patchedAfter(foreseen);
      expect(JSON.stringify(after)).toBe(JSON.stringify(condense(chat(4), "c1", ["m1", "m2"])));
      for (const message of foreseen.changedTo) expect(after).not.toContain(message);
    }
  });
});
