import type { RecordedClearing } from "../../core/history/provider-clearing.ts";
import type { Message } from "../../core/message/message.ts";
import type { RecalledReply } from "../../core/ports/wire-recall.ts";
import type { RequestRecord } from "../../core/statement/request-record.ts";
import type { ForecastState } from "../../core/tokens/forecast.ts";

/** A view that is ready to be sent, and what was done to it. */
export interface Prepared {
  /** Fits the window, and is accepted by providers wherever the log would be. */
  readonly messages: readonly Message[];
  readonly report: PrepareReport;
}

export interface PrepareReport {
  /** The size of the prompt: system prompt, tools and view. */
  readonly promptTokens: number;
  readonly prevContextTokens: number;
  readonly contextWindow: number;
  readonly allowedTokens: number;
  /** The size at which the next fold is due, as far as that can be foreseen: never more than is allowed. */
  readonly foldsAtTokens: number;
  /** The share of the window that the prompt takes now, and the share that it took before folding. */
  readonly usedPercent: number;
  readonly prevUsedPercent: number;
  /** The folds that were made for this view, in order; none when it fitted. */
  readonly foldIds: readonly string[];
  /** In USD, for condensing. */
  readonly cost: number;
  /** Why condensing did not help, where it was tried. */
  readonly error?: string;
  readonly warnings: readonly string[];
}

/** The true exchange behind a reply in which calls of the recall tool were answered: the agent has only the merged reply. */
export interface RecalledExchange extends RecalledReply {
  /** The search term by which the exchange is found: lower case, without white space. */
  readonly key: string;
  /** The API whose items these are. */
  readonly api: string;
}

/** Which agent started the one that speaks in a session, by the names that the agents themselves use. */
export interface SessionLineage {
  /** The id that sessions of this agent begin with. */
  readonly scopeId: string;
  readonly ownName: string;
  readonly parentName: string;
  /** The search terms by which the session is found: lower case, without white space. */
  readonly keys: readonly string[];
}

/** What happened to a session, in order; `at` is in milliseconds since the epoch. */
export type SessionEvent =
  | {
      readonly type: "condense_context";
      readonly at: number;
      readonly condenseId: string;
      readonly summary: string;
      readonly cost: number;
      readonly prevContextTokens: number;
      readonly newContextTokens: number;
    }
  | {
      readonly type: "sliding_window_truncation";
      readonly at: number;
      readonly truncationId: string;
      readonly messagesRemoved: number;
      readonly prevContextTokens: number;
      readonly newContextTokens: number;
    }
  /** Tool results were deduplicated or cleared, or messages clipped. */
  | {
      readonly type: "blocks_folded";
      readonly at: number;
      readonly foldIds: readonly string[];
      readonly prevContextTokens: number;
      readonly newContextTokens: number;
    }
  | { readonly type: "condense_failed"; readonly at: number; readonly error: string; readonly cost: number }
  | { readonly type: "restored"; readonly at: number; readonly foldId: string }
  /** The messages of a span were made visible again. */
  | { readonly type: "span_restored"; readonly at: number; readonly from: string; readonly to: string }
  /** The log was set back to a version, or, with `isUndo`, to what it was before a rewind. */
  | { readonly type: "rewound"; readonly at: number; readonly toVersion: number; readonly isUndo: boolean }
  /** Messages were marked or changed by hand. */
  | { readonly type: "updated"; readonly at: number; readonly messageIds: readonly string[] }
  /** Reports showed how many of a model's tokens one of ours is; forecasts for that model start from it. */
  | {
      readonly type: "calibrated";
      readonly at: number;
      readonly modelId: string;
      readonly tokenRatio: number;
      /** @default at once */
      readonly from?: "next-message";
    }
  /** A provider reported the size of a prompt: forecasts for that model start from it. */
  | {
      readonly type: "anchored";
      readonly at: number;
      readonly modelId: string;
      readonly forecast: ForecastState;
      /** How many messages of the view the prompt had. */
      readonly viewMessages: number;
      /** Our count of the system prompt and of the tool definitions that were sent with them. */
      readonly systemTokens: number;
      readonly toolTokens: number;
      /** @default at once */
      readonly from?: "next-message";
    }
  /** Records that came after this one were lost: the store did not answer, and there was no room to buffer them. */
  | { readonly type: "gap"; readonly at: number; readonly lostRecords: number }
  /**
   * This session holds what was said in another one while the store did not answer. It could not be appended there: other processes had written
   * to that session meanwhile, or its content was not known.
   */
  | { readonly type: "set_apart"; readonly at: number; readonly fromSessionId: string }
  | { readonly type: "checkpoint"; readonly at: number; readonly checkpointId: string; readonly reason: string }
  /** A gateway answered calls of the recall tool within a reply. The true exchange is sent whenever the agent repeats that reply. */
  | ({ readonly type: "recalled"; readonly at: number } & RecalledExchange)
  /** A provider itself compacted the conversation. The store's `search` finds the session by these keys when the compaction comes back. */
  | { readonly type: "compacted"; readonly at: number; readonly keys: readonly string[] }
  /** Another agent started the one that speaks here. The store's `search` finds the sessions of both by these keys. */
  | ({ readonly type: "lineage"; readonly at: number } & SessionLineage)
  /** A provider itself left old results or thoughts out of a request. The newest report counts, with those before it that it adds to. */
  | ({ readonly type: "cleared"; readonly at: number } & RecordedClearing)
  /** A view was sent to a model. The statement is the sum of these records. */
  | ({ readonly type: "request" } & RequestRecord);

export type EventTypes = readonly SessionEvent["type"][];

const LASTING: ReadonlySet<SessionEvent["type"]> = new Set(["cleared", "restored", "lineage"]);

/** Whether events of a type are part of a session's saved state: they are few, and influence what is sent for the rest of the session. */
export function isLasting(type: SessionEvent["type"]): boolean {
  return LASTING.has(type);
}
