import type { CondensationFailure, CondensationSuccess, FallbackToTruncation } from "../../core/ports/telemetry.ts";

/** One assessment of a context, and the action that follows. */
export interface ContextCheck {
  readonly taskId: string;
  /** The size of the prompt: system prompt, tools and view. */
  readonly prevContextTokens: number;
  readonly contextWindow: number;
  /** The number of messages in the view. */
  readonly messageCount: number;
  /** One word, such as `none`, `condense` or `truncate`. */
  readonly action: string;
}

/** A check as one line of `key=value` pairs. */
export function checkLine({ taskId, prevContextTokens, contextWindow, messageCount, action }: ContextCheck): string {
  const usedPercent = ((100 * prevContextTokens) / contextWindow).toFixed(1);
  // Quoted, as an id may hold anything, including line breaks.
  const task = JSON.stringify(taskId);
  const size = `tokens=${prevContextTokens} window=${contextWindow} used=${usedPercent}%`;
  return `context task=${task} ${size} messages=${messageCount} action=${action}`;
}

export function successLine(event: CondensationSuccess): string {
  const { taskId, strategy, prevContextTokens, newContextTokens, messagesHidden, costUsd, durationMs } = event;
  const sizes = `tokens=${prevContextTokens} newTokens=${newContextTokens} hidden=${messagesHidden}`;
  return `condensed ${nameOf(taskId, strategy)} ${sizes} costUsd=${costUsd} ms=${Math.round(durationMs)}`;
}

export function failureLine({ taskId, strategy, prevContextTokens, error }: CondensationFailure): string {
  return `failed ${nameOf(taskId, strategy)} tokens=${prevContextTokens} error=${JSON.stringify(error)}`;
}

export function fallbackLine({ taskId, prevContextTokens, error }: FallbackToTruncation): string {
  const why = error === undefined ? "" : ` error=${JSON.stringify(error)}`;
  return `truncated task=${JSON.stringify(taskId)} tokens=${prevContextTokens}${why}`;
}

function nameOf(taskId: string, strategy: string): string {
  return `task=${JSON.stringify(taskId)} strategy=${JSON.stringify(strategy)}`;
}
