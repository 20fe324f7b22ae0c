import { describe, expect, test } from "vitest";
import { tag } from "../../../test/support/messages.ts";
import { PLAIN, rewind, said, shown, times } from "../../../test/support/task-histories.ts";
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
