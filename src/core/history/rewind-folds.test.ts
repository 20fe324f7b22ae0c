/** What becomes of condensations and truncations when histories are rewound past them. */
import { describe, expect, test } from "vitest";
import {
  condensed,
  type Histories,
  marker,
  rewind,
  said,
  shown,
  summary,
  times,
  truncated,
  viewTimes,
} from "../../../test/support/task-histories.ts";
import type { UiMessage } from "./ui-messages.ts";

describe("going back past a condensation", () => {
  /** Condensed at 450, after the question of 400; the last three messages were kept. */
  const histories: Histories = {
    ui: [shown(100), shown(200), shown(300), shown(400), condensed(450, "k1"), shown(500)],
    api: [
      said(100, "user"),
      said(150, "assistant", { condenseParent: "k1" }),
      said(180, "user", { condenseParent: "k1" }),
      summary(199, "k1"),
      said(200, "assistant"),
      said(300, "user"),
      said(400, "user"),
      said(500, "assistant"),
    ],
  };

  test("removes the summary, though it is older than the cut, and shows what it hid again", () => {
    const { api } = rewind(histories, 300);
    expect(viewTimes(api)).toEqual([100, 150, 180, 200]);
    expect(api).toEqual([said(100, "user"), said(150, "assistant"), said(180, "user"), said(200, "assistant")]);
  });

  test("to its event gives the view right before it, whoever spoke next", () => {
    const { ui, api } = rewind(histories, 450);
    expect(times(ui)).toEqual([100, 200, 300, 400]);
    expect(viewTimes(api)).toEqual([100, 150, 180, 200, 300, 400]);
  });

  test("to its event, kept, gives the view right after it", () => {
    const { api } = rewind(histories, 450, { includeTargetMessage: true });
    expect(viewTimes(api)).toEqual([100, 199, 200, 300, 400]);
  });

  test("a summary stays with its event, also when its own time is later than the cut", () => {
    const { api } = rewind(histories, 500);
    expect(viewTimes(api)).toEqual([100, 199, 200, 300, 400]);
    const late = histories.api.map((each) => (each.isSummary === true ? summary(450, "k1") : each));
    expect(viewTimes(rewind({ ui: histories.ui, api: late }, 450, { includeTargetMessage: true }).api)).toEqual([
      100, 450, 200, 300, 400,
    ]);
  });

  test("without clean-up the tags stay, and hide nothing", () => {
    const { api } = rewind(histories, 300, { skipCleanup: true });
    expect(viewTimes(api)).toEqual([100, 150, 180, 200]);
    expect(api[1]).toBe(histories.api[1]);
    expect(api[1]?.condenseParent).toBe("k1");
  });

  test("a summary that no event tells of is cut like any other message", () => {
    const ui = histories.ui.filter((each) => each.say !== "condense_context");
    expect(viewTimes(rewind({ ui, api: histories.api }, 300).api)).toEqual([100, 199, 200]);
    expect(viewTimes(rewind({ ui, api: histories.api }, 100).api)).toEqual([]);
  });

  test("an event without an id, or with a damaged one, undoes nothing", () => {
    const damaged: UiMessage = JSON.parse(
      '{ "ts": 450, "say": "condense_context", "contextCondense": { "condenseId": 7 } }',
    );
    const old: UiMessage = { ...shown(460, "condense_context"), contextCondense: { summary: "So far" } };
    const ui = [...histories.ui.slice(0, 4), damaged, old, shown(500)];
    expect(viewTimes(rewind({ ui, api: histories.api }, 400).api)).toEqual([100, 199, 200, 300]);
  });
});

describe("going back past nested folds", () => {
  /** k2 stands for k1 and what followed it; t1 hides k2's first kept messages. */
  const histories: Histories = {
    ui: [
      shown(100),
      shown(300),
      condensed(310, "k1"),
      shown(400),
      shown(500),
      condensed(510, "k2"),
      shown(600),
      truncated(610, "t1"),
      shown(700, "user_feedback"),
    ],
    api: [
      said(100, "user"),
      said(200, "assistant", { condenseParent: "k1" }),
      summary(299, "k1", { condenseParent: "k2" }),
      said(300, "user", { condenseParent: "k2" }),
      said(400, "assistant", { condenseParent: "k2" }),
      summary(499, "k2"),
      said(500, "user", { truncationParent: "t1" }),
      said(550, "assistant", { truncationParent: "t1" }),
      marker(599, "t1"),
      said(600, "user"),
      said(650, "assistant"),
      said(700, "user"),
    ],
  };

  test.each([
    [700, [100, 499, 599, 600, 650]],
    [610, [100, 499, 500, 550, 600]],
    [600, [100, 499, 500, 550]],
    [510, [100, 299, 300, 400, 500]],
    [500, [100, 299, 300, 400]],
    [310, [100, 200, 300]],
    [300, [100, 200]],
  ])("to %i gives the view of that moment", (ts, view) => {
    expect(viewTimes(rewind(histories, ts).api)).toEqual(view);
  });

  test("clears the tags of the folds that are gone, and no others", () => {
    const { api } = rewind(histories, 600);
    expect(api.filter(({ truncationParent }) => truncationParent !== undefined)).toEqual([]);
    expect(api.map(({ condenseParent }) => condenseParent)).toEqual([
      undefined,
      "k1",
      "k2",
      "k2",
      "k2",
      undefined,
      undefined,
      undefined,
    ]);
  });
});
