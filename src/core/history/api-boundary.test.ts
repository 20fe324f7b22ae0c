import { describe, expect, test } from "vitest";
import { assistant, user } from "../../../test/support/messages.ts";
import {
  type Histories,
  marker,
  PLAIN,
  rewind,
  said,
  shown,
  times,
  truncated,
} from "../../../test/support/task-histories.ts";
import { rewindHistories } from "./rewind-histories.ts";

describe("when the clocks of the two histories disagree", () => {
  /** The feedback was given while the reply was still streaming, so that the API has both of them later. */
  const raced: Histories = {
    ui: [shown(50), shown(100, "user_feedback"), shown(350)],
    api: [said(50, "user"), said(150, "assistant"), said(200, "assistant"), said(300, "user"), said(350, "assistant")],
  };

  test("the replies that a message answers stay, as the first user message from then on is the cut", () => {
    expect(times(rewind(raced, 100).api)).toEqual([50, 150, 200]);
  });

  test("without a user message from then on, the time itself is the cut", () => {
    const unanswered = { ui: raced.ui, api: raced.api.slice(0, 3) };
    expect(times(rewind(unanswered, 100).api)).toEqual([50]);
  });

  test("where an API message has exactly that time, it is the cut, whoever said it", () => {
    const exact = { ui: raced.ui, api: raced.api.with(1, said(100, "assistant")) };
    expect(times(rewind(exact, 100).api)).toEqual([50]);
  });

  test("where nothing is older, nothing stays", () => {
    const late = { ui: [shown(10), shown(20)], api: raced.api.slice(1) };
    expect(rewind(late, 10).api).toEqual([]);
  });

  test("a marker has the role of a user, but is no boundary", () => {
    const api = [
      said(50, "user"),
      said(150, "assistant", { truncationParent: "t1" }),
      marker(199, "t1"),
      ...raced.api.slice(2),
    ];
    const ui = [...raced.ui.slice(0, 2), truncated(310, "t1"), shown(350)];
    expect(times(rewind({ ui, api }, 100).api)).toEqual([50, 150, 200]);
  });

  test("messages without a time stay, wherever they are", () => {
    const [first, second] = [user("timeless"), assistant("timeless too")];
    const api = [first, ...PLAIN.api.slice(0, 3), second, ...PLAIN.api.slice(3)];
    expect(rewind({ ui: PLAIN.ui, api }, 200).api).toEqual([first, said(100, "user"), second]);
  });

  test("of several UI messages with one time the first is the target, and all API messages of that time go", () => {
    const ui = [shown(100), shown(200), shown(200, "user_feedback"), shown(300)];
    const api = [said(100, "user"), said(200, "assistant"), said(200, "user"), said(300, "assistant")];
    expect([times(rewind({ ui, api }, 200).ui), times(rewind({ ui, api }, 200).api)]).toEqual([[100], [100]]);
    expect(times(rewind({ ui, api }, 200, { includeTargetMessage: true }).ui)).toEqual([100, 200]);
  });

  test("what was said earlier stays though its time is later, and the reverse", () => {
    const ui = [shown(100), shown(300), shown(200), shown(400)];
    const api = [said(100, "user"), said(300, "assistant"), said(200, "user"), said(400, "assistant")];
    expect(times(rewind({ ui, api }, 200).api)).toEqual([100, 300]);
    expect(times(rewind({ ui, api }, 300).api)).toEqual([100]);
  });

  test("empty histories can be rewound to their beginning", () => {
    const histories = { clineMessages: [], apiConversationHistory: [] };
    expect(rewindHistories(histories, { targetIndex: 0 })).toEqual(histories);
  });
});
