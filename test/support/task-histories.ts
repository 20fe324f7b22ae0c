import { type RewindOptions, rewindHistories } from "../../src/core/history/rewind-histories.ts";
import { findUiMessage, type UiMessage } from "../../src/core/history/ui-messages.ts";
import { effectiveView } from "../../src/core/message/effective-view.ts";
import type { Message } from "../../src/core/message/message.ts";
import { assistant, deepFreeze, tag, user } from "./messages.ts";

/** What the person saw, and what the model saw. */
export interface Histories {
  readonly ui: readonly UiMessage[];
  readonly api: readonly Message[];
}

/** An API message with a time. */
export function said(ts: number, role: Message["role"], fields: Partial<Message> = {}): Message {
  return tag(role === "user" ? user(`said at ${ts}`) : assistant(`said at ${ts}`), { ts, ...fields });
}

export function summary(ts: number, condenseId: string, fields: Partial<Message> = {}): Message {
  return tag(assistant("So far"), { ts, isSummary: true, condenseId, ...fields });
}

export function marker(ts: number, truncationId: string): Message {
  return tag(user("2 messages hidden"), { ts, isTruncationMarker: true, truncationId });
}

/** A UI message. */
export function shown(ts: number, say = "text"): UiMessage {
  return { ts, type: "say", say, text: `shown at ${ts}` };
}

export function condensed(ts: number, condenseId: string): UiMessage {
  const told = { cost: 0.1, prevContextTokens: 900, newContextTokens: 90, summary: "So far", condenseId };
  return { ...shown(ts, "condense_context"), contextCondense: told };
}

export function truncated(ts: number, truncationId: string): UiMessage {
  const told = { truncationId, messagesRemoved: 2, prevContextTokens: 900, newContextTokens: 90 };
  return { ...shown(ts, "sliding_window_truncation"), contextTruncation: told };
}

/** Both histories, rewound to the UI message with this time. */
export function rewind({ ui, api }: Histories, ts: number, options: RewindOptions = {}): Histories {
  const histories = deepFreeze({ clineMessages: ui, apiConversationHistory: api });
  const rewound = rewindHistories(histories, { targetIndex: findUiMessage(ui, ts), ...options });
  return { ui: rewound.clineMessages, api: rewound.apiConversationHistory };
}

export function times(messages: readonly { readonly ts?: number }[]): readonly (number | undefined)[] {
  return messages.map(({ ts }) => ts);
}

export function viewTimes(messages: readonly Message[]): readonly (number | undefined)[] {
  return times(effectiveView(messages));
}

/** Two questions with their replies; both histories have the same times. */
export const PLAIN: Histories = {
  ui: [shown(100), shown(200), shown(300, "user_feedback"), shown(400)],
  api: [said(100, "user"), said(200, "assistant"), said(300, "user"), said(400, "assistant")],
};
