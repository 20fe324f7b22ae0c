import type { CondensationRefusal } from "../../core/condense/condensation-plan.ts";
import type { LedgerPlan } from "../../core/condense/ledger/plan-ledger.ts";
import type { Message } from "../../core/message/message.ts";
import type { LedgerTask } from "../../engine/condense/condense-by-ledger.ts";

/** A ledger task without its function, which cannot be sent to another thread. */
export type SentLedgerTask = Omit<LedgerTask, "countTokens">;

/** The messages to the ledger thread: first the parts of a log, in order, then what to do with the log. */
export type ToLedgerThread =
  | { readonly type: "messages"; readonly id: number; readonly messages: readonly Message[] }
  /** Plans a ledger of the log that was sent under this id; if `after` names a judged log, of that log followed by this one. */
  | { readonly type: "plan"; readonly id: number; readonly task: SentLedgerTask; readonly after?: JudgedLogName }
  /** Judges the lines of the log that was sent so far, ahead of a plan that begins with this log. */
  | { readonly type: "judge"; readonly id: number }
  /** Drops the log: it is not needed any more. */
  | { readonly type: "forget"; readonly id: number };

/** The id of a log that the thread has a copy of, and its number of messages. */
export interface JudgedLogName {
  readonly id: number;
  readonly messages: number;
}

/** The thread's answer to a "plan" message. */
export type FromLedgerThread =
  | { readonly type: "planned"; readonly id: number; readonly plan: LedgerPlan | CondensationRefusal }
  | { readonly type: "failed"; readonly id: number; readonly error: string };
