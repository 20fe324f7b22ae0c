import { describe, expect, test } from "vitest";
import { assistant, tag, user } from "../../../test/support/messages.ts";
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
import { PalimpsestError } from "../errors.ts";
import type { Message } from "../message/message.ts";
import { rewindHistories } from "./rewind-histories.ts";
import type { UiMessage } from "./ui-messages.ts";

describe("going back to a message", () => {
  test("deleting it takes it and all that followed from both histories", () => {
    const { ui, api } = rewind(PLAIN, 300);
    expect(ui).toEqual(PLAIN.ui.slice(0, 2));
    expect(api).toEqual(PLAIN.api.slice(0, 2));
    expect(api[0]).toBe(PLAIN.api[0]);
  });

  test("editing it keeps it for the person, and takes it from the model until the new version is sent", () => {
    const { ui, api } = rewind(PLAIN, 300, { includeTargetMessage: true });
    expect(times(ui)).toEqual([100, 200, 300]);
    expect(times(api)).toEqual([100, 200]);
  });

  test("the first message takes everything", () => {
    expect(rewind(PLAIN, 100)).toEqual({ ui: [], api: [] });
  });

  test("an index behind the last message cuts nothing, and gives the same arrays", () => {
    const histories = { clineMessages: PLAIN.ui, apiConversationHistory: PLAIN.api };
    const rewound = rewindHistories(histories, { targetIndex: 4 });
    expect(rewound.clineMessages).toBe(PLAIN.ui);
    expect(rewound.apiConversationHistory).toBe(PLAIN.api);
  });

  test("a history in which nothing changed is the same array", () => {
    const unanswered = { ui: [...PLAIN.ui, shown(500, "api_req_started")], api: PLAIN.api };
    expect(rewind(unanswered, 500).api).toBe(PLAIN.api);
    const { ui, api } = rewind(PLAIN, 400, { includeTargetMessage: true });
    expect(ui).toBe(PLAIN.ui);
    expect(times(api)).toEqual([100, 200, 300]);
  });

  test("fields that are not ours stay on both sides", () => {
    const ui = [{ ...shown(100), images: ["a.png"], progressStatus: { icon: "gear" } }, ...PLAIN.ui.slice(1)];
    const api = [tag(said(100, "user"), { vendor: { cached: true } }), ...PLAIN.api.slice(1)];
    const rewound = rewind({ ui, api }, 200);
    expect(rewound.ui[0]).toBe(ui[0]);
    expect(rewound.api[0]).toBe(api[0]);
  });
});

describe("bad input", () => {
  const histories = { clineMessages: PLAIN.ui, apiConversationHistory: PLAIN.api };

  test.each([-1, 5, 1.5, Number.NaN])("the index %d is refused", (targetIndex) => {
    expect(() => rewindHistories(histories, { targetIndex })).toThrow(PalimpsestError);
    expect(() => rewindHistories(histories, { targetIndex })).toThrow("a whole number from 0 to 4");
  });

  test("there must be a message to keep", () => {
    expect(() => rewindHistories(histories, { targetIndex: 4, includeTargetMessage: true })).toThrow("from 0 to 3");
    const empty = { clineMessages: [], apiConversationHistory: [] };
    expect(() => rewindHistories(empty, { targetIndex: 0, includeTargetMessage: true })).toThrow("none to keep");
    const one = { clineMessages: PLAIN.ui.slice(0, 1), apiConversationHistory: [] };
    expect(() => rewindHistories(one, { targetIndex: 1, includeTargetMessage: true })).toThrow("from 0 to 0");
  });

  test("what is no message is named by its place", () => {
    const hole: UiMessage[] = JSON.parse('[{ "ts": 1 }, null]');
    const timeless: UiMessage[] = JSON.parse('[{ "ts": "now" }]');
    const noMessage: Message[] = JSON.parse("[7]");
    const cut = { targetIndex: 0 };
    expect(() => rewindHistories({ ...histories, clineMessages: hole }, cut)).toThrow("clineMessages[1] is null");
    expect(() => rewindHistories({ ...histories, clineMessages: timeless }, cut)).toThrow(
      'clineMessages[0].ts is "now"',
    );
    expect(() => rewindHistories({ ...histories, apiConversationHistory: noMessage }, cut)).toThrow(
      "apiConversationHistory[0] is 7",
    );
  });

  test("API messages that only their provider understands are carried along", () => {
    const api: Message[] = JSON.parse(
      '[{ "role": "system", "content": "x" }, { "type": "reasoning", "encrypted_content": "x", "ts": 10 }]',
    );
    const { api: rewound } = rewind({ ui: PLAIN.ui, api: [...api, ...PLAIN.api] }, 200);
    expect(rewound).toEqual([...api, said(100, "user")]);
  });
});

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
