/** What a check of the context found, and what is done about it. */
export interface ContextCheck {
  readonly taskId: string;
  /** The prompt as it is: system prompt, tools and view. */
  readonly prevContextTokens: number;
  readonly contextWindow: number;
  /** Messages in the view. */
  readonly messageCount: number;
  /** In one word, such as `none`, `condense` or `truncate`. */
  readonly action: string;
}

/** A check as one line of `key=value` pairs. */
export function checkLine({ taskId, prevContextTokens, contextWindow, messageCount, action }: ContextCheck): string {
  const usedPercent = ((100 * prevContextTokens) / contextWindow).toFixed(1);
  // quoted, as an id is the user's and may hold anything, line breaks included
  const task = JSON.stringify(taskId);
  const size = `tokens=${prevContextTokens} window=${contextWindow} used=${usedPercent}%`;
  return `context task=${task} ${size} messages=${messageCount} action=${action}`;
}
