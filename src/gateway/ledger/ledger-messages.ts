import type { CondensationRefusal } from "../../core/condense/condensation-plan.ts";
import type { LedgerPlan } from "../../core/condense/ledger/plan-ledger.ts";
import type { Message } from "../../core/message/message.ts";
import type { LedgerTask } from "../../engine/condense/condense-by-ledger.ts";

/** A task without what cannot be sent to another thread. */
export type SentLedgerTask = Omit<LedgerTask, "countTokens">;

/** What the ledger's thread is sent: the messages of a log in parts, in order, then what to do with them. */
export type ToLedgerThread =
  | { readonly type: "messages"; readonly id: number; readonly messages: readonly Message[] }
  /** Plans a ledger of the messages; where `after` names a log that was judged, of that log and then the messages. */
  | { readonly type: "plan"; readonly id: number; readonly task: SentLedgerTask; readonly after?: JudgedLogName }
  /** Judges the log that was sent so far, for a plan that will go on from it. */
  | { readonly type: "judge"; readonly id: number }
  /** The log that was sent so far is not needed any more. */
  | { readonly type: "forget"; readonly id: number };

/** A log that the thread holds, and how long it is. */
export interface JudgedLogName {
  readonly id: number;
  readonly messages: number;
}

/** What it answers, once for each plan that it is asked for. */
export type FromLedgerThread =
  | { readonly type: "planned"; readonly id: number; readonly plan: LedgerPlan | CondensationRefusal }
  | { readonly type: "failed"; readonly id: number; readonly error: string };
