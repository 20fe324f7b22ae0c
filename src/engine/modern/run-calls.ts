import { describeError } from "../../core/describe-error.ts";
import type { Content, ToolResultBlock } from "../../core/message/message.ts";
import type { ToolUseChunk } from "../../core/ports/model-handler.ts";
import type { ToolExecutor, ToolOutput } from "../../core/ports/tool-executor.ts";
import { withTimeLimit } from "../time-limit.ts";
import { type CallGuard, guardCall } from "./guard-call.ts";

export interface CallRun extends CallGuard {
  readonly executor: ToolExecutor;
  /** Tools that the engine has itself. */
  readonly own: ToolExecutor & { has(name: string): boolean };
  /** How many more calls may be made. */
  readonly callsLeft: number;
  readonly toolTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** What came of one call. */
export interface FinishedCall {
  readonly call: ToolUseChunk;
  readonly result: ToolResultBlock;
  readonly outcome: "success" | "failure" | "refused" | "aborted";
  readonly durationMs: number;
}

/**
 * Runs the calls of one reply at the same time and waits for all of them. Every call gets a result, whatever happens: errors, refusals,
 * tools that hang and an abort are results too, so that the log stays one that providers accept.
 */
export function runCalls(calls: readonly ToolUseChunk[], run: CallRun): Promise<readonly FinishedCall[]> {
  return Promise.all(calls.map((call, index) => runCall(call, run, index < run.callsLeft)));
}

async function runCall(call: ToolUseChunk, run: CallRun, isWithinLimit: boolean): Promise<FinishedCall> {
  const startedAt = run.now();
  const { outcome, content } = await finish(call, run, isWithinLimit);
  const durationMs = Math.max(0, run.now() - startedAt);
  const reason = outcome === "success" || typeof content !== "string" ? {} : { reason: content.slice(0, 500) };
  run.audit.add({ type: "call", at: startedAt, callId: call.id, toolName: call.name, outcome, durationMs, ...reason });
  const result: ToolResultBlock = {
    type: "tool_result",
    tool_use_id: call.id,
    content,
    ...(outcome === "success" ? {} : { is_error: true }),
  };
  return { call, result, outcome, durationMs };
}

type Ending = Pick<FinishedCall, "outcome"> & { readonly content: Content };

async function finish(call: ToolUseChunk, run: CallRun, isWithinLimit: boolean): Promise<Ending> {
  const { signal, toolTimeoutMs, own, executor } = run;
  if (!isWithinLimit)
    return { outcome: "refused", content: "No more tool calls are allowed for this task. Finish with what you have." };
  const givenUp = new AbortController();
  const together = AbortSignal.any([givenUp.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    signal?.throwIfAborted();
    const refusal = await guardCall(call, run);
    if (refusal !== undefined) return { outcome: "refused", content: refusal };
    const { id, name, input } = call;
    const executing = (own.has(name) ? own : executor).execute({ id, name, input }, { signal: together });
    return readOutput(await withTimeLimit(Promise.race([executing, abortOf(together)]), toolTimeoutMs));
  } catch (error) {
    if (signal?.aborted === true)
      return { outcome: "aborted", content: "The task was stopped before this call was finished." };
    return { outcome: "failure", content: describeError(error) || "The tool failed and did not say why." };
  } finally {
    // Whatever hangs is told that nobody waits any more.
    givenUp.abort(new Error("Nobody waits for this call any more."));
  }
}

const NOTHING = "(no output)";

/** Executors are other people's code: what is no output is shown as what it is. */
function readOutput(output: ToolOutput): Ending {
  const { content, isError = false } = typeof output === "string" ? { content: output } : (output ?? { content: "" });
  const isEmpty = content === undefined || content.length === 0;
  return { outcome: isError ? "failure" : "success", content: isEmpty ? NOTHING : content };
}

/** Never resolves; rejects when the signal is aborted. */
function abortOf(signal: AbortSignal): Promise<never> {
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  ended.catch(() => undefined);
  return ended;
}
