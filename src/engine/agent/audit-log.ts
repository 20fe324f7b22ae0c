import type { CriterionResult } from "../../core/layers/task-layer.ts";
import type { ToolChange } from "../../core/tools/compare-tools.ts";
import type { ToolDecision } from "../../core/tools/judge-tool.ts";
import type { CallOutcome } from "./run-calls.ts";
import type { OutputReport } from "./task-result.ts";

/** What an agent did and was kept from doing; `at` is in milliseconds since the epoch. */
export type AuditRecord =
  /** The tools that the model was shown, and why; only where they changed. */
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
  /** What the agent said that it has decided. */
  | { readonly type: "decision"; readonly at: number; readonly content: string }
  /** What the check of a success criterion found. */
  | ({ readonly type: "criterion"; readonly at: number } & CriterionResult)
  /** Whether the last reply is in the output format. */
  | {
      readonly type: "output";
      readonly at: number;
      readonly status: OutputReport["status"];
      readonly errors?: readonly string[];
    }
  /** A soft policy was not kept. */
  | { readonly type: "warning"; readonly at: number; readonly policyId: string; readonly reason: string }
  | {
      readonly type: "approval";
      readonly at: number;
      readonly callId: string;
      readonly toolName: string;
      readonly isApproved: boolean;
    }
  /** Something went wrong, and what was done about it. */
  | { readonly type: "recovery"; readonly at: number; readonly problem: string; readonly remedy: string };

export interface AuditLog {
  add(record: AuditRecord): void;
  /** Oldest first; what is older than the retention is gone. */
  records(): readonly AuditRecord[];
}

export interface AuditLogOptions {
  readonly isEnabled: boolean;
  /** @default true */
  readonly logDecisions?: boolean;
  readonly retentionDays: number;
  readonly now: () => number;
  readonly onRecord: ((record: AuditRecord) => void) | undefined;
  /** Those of earlier runs. */
  readonly records: readonly AuditRecord[];
}

const DAY_MS = 86_400_000;
/** However long they are kept: a log without end would fill the memory. */
const MAX_RECORDS = 10_000;

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { isEnabled, logDecisions = true, retentionDays, now, onRecord } = options;
  let kept: AuditRecord[] = [...options.records];
  // Not the first one's: a call is recorded when it ends, under the time at which it began.
  let earliest = earliestOf(kept);
  const prune = () => {
    const oldest = now() - retentionDays * DAY_MS;
    if (kept.length <= MAX_RECORDS && earliest >= oldest) return;
    kept = kept.filter(({ at }) => at >= oldest).slice(-MAX_RECORDS);
    earliest = earliestOf(kept);
  };
  const tell = (record: AuditRecord) => {
    try {
      onRecord?.(record);
    } catch {
      // Who is told of what happened must not change what happens.
    }
  };
  return {
    add: (record) => {
      if (!isEnabled || (record.type === "decision" && !logDecisions)) return;
      kept.push(record);
      earliest = Math.min(earliest, record.at);
      prune();
      tell(record);
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
