import { describeError } from "../../core/describe-error.ts";
import type { Content, ToolResultBlock } from "../../core/message/message.ts";
import type { ToolUseChunk } from "../../core/ports/model-handler.ts";
import type { ToolExecutor } from "../../core/ports/tool-executor.ts";
import { withTimeLimit } from "../time-limit.ts";
import { type CallGuard, guardCall } from "./guard-call.ts";
import { orAborted } from "./or-aborted.ts";
import { readOutput } from "./read-output.ts";

export interface CallRun extends Omit<CallGuard, "isOwn"> {
  readonly executor: ToolExecutor;
  /** The engine's own tools. */
  readonly own: ToolExecutor & { has(name: string): boolean };
  /** How many more calls may be made. */
  readonly callsLeft: number;
  readonly toolTimeoutMs: number;
}

/** The result of one call. */
export interface FinishedCall {
  readonly call: ToolUseChunk;
  readonly result: ToolResultBlock;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
  /** The soft policies that the call broke. */
  readonly warnings: readonly string[];
}

/** `over-limit`: the task had no calls left. */
export type CallOutcome = "success" | "failure" | "refused" | "over-limit" | "aborted";

/**
 * Runs the calls of one reply at the same time and waits for all of them. Every call gets a result, also for errors, refusals, timeouts and an abort, so
 * that providers accept the log.
 */
export function runCalls(calls: readonly ToolUseChunk[], run: CallRun): Promise<readonly FinishedCall[]> {
  return Promise.all(calls.map((call, index) => runCall(call, run, index < run.callsLeft)));
}

async function runCall(call: ToolUseChunk, run: CallRun, isWithinLimit: boolean): Promise<FinishedCall> {
  const startedAt = run.now();
  const warnings: string[] = [];
  const audit: CallRun["audit"] = {
    ...run.audit,
    add: (record) => {
      if (record.type === "warning") warnings.push(`${record.policyId}: ${record.reason}`);
      run.audit.add(record);
    },
  };
  const { outcome, content } = isWithinLimit ? await finish(call, { ...run, audit }) : OVER_LIMIT;
  const durationMs = Math.max(0, run.now() - startedAt);
  const reason = outcome === "success" || typeof content !== "string" ? {} : { reason: content.slice(0, 500) };
  run.audit.add({ type: "call", at: startedAt, callId: call.id, toolName: call.name, outcome, durationMs, ...reason });
  const result: ToolResultBlock = {
    type: "tool_result",
    tool_use_id: call.id,
    content,
    ...(outcome === "success" ? {} : { is_error: true }),
  };
  return { call, result, outcome, durationMs, warnings };
}

type Ending = Pick<FinishedCall, "outcome"> & { readonly content: Content };

const OVER_LIMIT: Ending = {
  outcome: "over-limit",
  content: "No more tool calls are allowed for this task. Finish with what you have.",
};

async function finish(call: ToolUseChunk, run: CallRun): Promise<Ending> {
  const { signal, toolTimeoutMs, own, executor } = run;
  const timeout = new AbortController();
  const either = AbortSignal.any([timeout.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    signal?.throwIfAborted();
    const refusal = await guardCall(call, { ...run, isOwn: own.has });
    if (refusal !== undefined) return { outcome: "refused", content: refusal };
    signal?.throwIfAborted();
    const { id, name, input } = call;
    const executing = (own.has(name) ? own : executor).execute({ id, name, input }, { signal: either });
    const { content, isError } = readOutput(await orAborted(withTimeLimit(executing, toolTimeoutMs), signal));
    return { outcome: isError ? "failure" : "success", content };
  } catch (error) {
    if (signal?.aborted === true)
      return { outcome: "aborted", content: "The task was stopped before this call was finished." };
    return { outcome: "failure", content: describeError(error).trim() || "The tool failed and did not say why." };
  } finally {
    // Ends a tool that still runs after a timeout or an abort.
    timeout.abort(new Error("Nobody waits for this call any more."));
  }
}
