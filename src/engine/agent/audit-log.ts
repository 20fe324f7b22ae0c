import type { CriterionResult } from "../../core/layers/task-layer.ts";
import type { ToolChange } from "../../core/tools/compare-tools.ts";
import type { ToolDecision } from "../../core/tools/judge-tool.ts";
import type { CallOutcome } from "./run-calls.ts";
import type { OutputReport } from "./task-result.ts";

/** One action of an agent, or one that was refused; `at` is in milliseconds since the epoch. */
export type AuditRecord =
  /** The tools that the model was shown changed. */
  | {
      readonly type: "tools";
      readonly at: number;
      readonly decisions: readonly ToolDecision[];
      readonly change: ToolChange;
    }
  | { readonly type: "phase"; readonly at: number; readonly from: string; readonly to: string; readonly reason: string }
  | {
      readonly type: "call";
      readonly at: number;
      readonly callId: string;
      readonly toolName: string;
      readonly outcome: CallOutcome;
      readonly reason?: string;
      readonly durationMs: number;
    }
  /** A decision that the agent stated in a reply. */
  | { readonly type: "decision"; readonly at: number; readonly content: string }
  /** The result of checking a success criterion. */
  | ({ readonly type: "criterion"; readonly at: number } & CriterionResult)
  /** Whether the last reply is in the output format. */
  | {
      readonly type: "output";
      readonly at: number;
      readonly status: OutputReport["status"];
      readonly errors?: readonly string[];
    }
  /** A call broke a soft policy. */
  | { readonly type: "warning"; readonly at: number; readonly policyId: string; readonly reason: string }
  | {
      readonly type: "approval";
      readonly at: number;
      readonly callId: string;
      readonly toolName: string;
      readonly isApproved: boolean;
    }
  /** A problem, and the remedy. */
  | { readonly type: "recovery"; readonly at: number; readonly problem: string; readonly remedy: string };

export interface AuditLog {
  add(record: AuditRecord): void;
  /** The records within the retention, oldest first. */
  records(): readonly AuditRecord[];
}

export interface AuditLogOptions {
  readonly isEnabled: boolean;
  /** @default true */
  readonly logDecisions?: boolean;
  readonly retentionDays: number;
  readonly now: () => number;
  readonly onRecord: ((record: AuditRecord) => void) | undefined;
  /** The records of earlier runs. */
  readonly records: readonly AuditRecord[];
}

const DAY_MS = 86_400_000;
/** The most records that are kept, however long the retention is. */
const MAX_RECORDS = 10_000;

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { isEnabled, logDecisions = true, retentionDays, now, onRecord } = options;
  let kept: AuditRecord[] = [...options.records];
  // Not always the time of the first record: a call is recorded when it ends, with the time at which it began.
  let earliest = earliestOf(kept);
  const prune = () => {
    const oldest = now() - retentionDays * DAY_MS;
    if (kept.length <= MAX_RECORDS && earliest >= oldest) return;
    kept = kept.filter(({ at }) => at >= oldest).slice(-MAX_RECORDS);
    earliest = earliestOf(kept);
  };
  const notify = (record: AuditRecord) => {
    try {
      onRecord?.(record);
    } catch {
      // Ignored: a failing callback must not stop the agent.
    }
  };
  return {
    add: (record) => {
      if (!isEnabled || (record.type === "decision" && !logDecisions)) return;
      kept.push(record);
      earliest = Math.min(earliest, record.at);
      prune();
      notify(record);
    },
    records: () => {
      prune();
      return [...kept];
    },
  };
}

function earliestOf(records: readonly AuditRecord[]): number {
  return records.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY);
}
