import { asArray, asNumber, asText, fieldAt, isRecord, type JsonRecord } from "../../../core/json/read-json.ts";
import { RECALL_TOOL_NAME } from "../../../core/recall/tool-definition.ts";

/** Separates the texts of two replies that the client gets as one. */
export const BREAK = "\n\n";

/** Whether a call, or the first piece of a streamed one, is of the recall tool. */
export function isRecallCall(call: unknown): boolean {
  return fieldAt(call, "function", "name") === RECALL_TOOL_NAME;
}

/** Rewrites the deltas of one streamed reply: leaves out calls of the recall tool, and continues the replies before it. */
export interface DeltaRewriter {
  /** The delta that the client gets. Must be called for each delta with calls, in order. */
  rewrite(delta: JsonRecord): JsonRecord;
  /** Puts `BREAK` before the next text. */
  breakBeforeText(): void;
  /** Whether a delta so far had a call of the recall tool. */
  hasRecallCalls(): boolean;
}

export interface DeltaRewriterOptions {
  /** Whether the reply continues another one: the client has its role already. */
  readonly isContinuation: boolean;
  /** Whether the client has text of a reply before it. */
  readonly followsText: boolean;
}

export function createDeltaRewriter({ isContinuation, followsText }: DeltaRewriterOptions): DeltaRewriter {
  /** The indexes of the calls of the recall tool. */
  const hidden = new Set<number>();
  let isBreakDue = followsText;

  function shownCalls(pieces: unknown): readonly unknown[] {
    return asArray(pieces).flatMap((piece) => {
      const index = asNumber(fieldAt(piece, "index")) ?? 0;
      if (isRecallCall(piece)) hidden.add(index);
      if (hidden.has(index) || !isRecord(piece)) return [];
      return [{ ...piece, index: index - [...hidden].filter((hiddenIndex) => hiddenIndex < index).length }];
    });
  }

  function shownContent(content: unknown): JsonRecord {
    const text = asText(content) ?? "";
    if (text === "") return content === undefined || isContinuation ? {} : { content };
    if (!isBreakDue) return { content };
    isBreakDue = false;
    return { content: BREAK + text };
  }

  return {
    rewrite({ role, tool_calls: pieces, content, ...rest }) {
      const calls = shownCalls(pieces);
      return {
        ...(!isContinuation && role !== undefined ? { role } : {}),
        ...shownContent(content),
        ...rest,
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      };
    },
    breakBeforeText() {
      isBreakDue = true;
    },
    hasRecallCalls: () => hidden.size > 0,
  };
}
