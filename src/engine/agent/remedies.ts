import type { TooLong } from "../../core/policy/too-long.ts";
import type { Agent } from "./open-agent.ts";

/** What a prompt that was too long is condensed to, as a share of the longest one. */
const RECOVERY_SHARE = 0.3;
/** Where the provider does not say what it takes, the window is taken for so much of what it was. */
const SHRINKING = 0.7;

export interface ShrinkOptions {
  /** How often it was too long already. */
  readonly tried: number;
  readonly signal: AbortSignal | undefined;
}

/** Believes the provider about its window, and condenses to much less, so that the next prompt surely fits. Says what was done. */
export async function shrinkPrompt(agent: Agent, tooLong: TooLong, { tried, signal }: ShrinkOptions): Promise<string> {
  const named = tooLong.isTooLong ? tooLong.limitTokens : undefined;
  const { contextWindow } = agent.window();
  if (named !== undefined && named < contextWindow) agent.learnWindow(named);
  // It takes what we thought: then it counts more tokens than we do, and less of ours will fit.
  else if (named === undefined || tried > 0) agent.shrinkWindow(Math.round(contextWindow * SHRINKING));
  const { error } = await agent.session.condense({ targetShare: RECOVERY_SHARE, trigger: "auto", signal });
  const window = agent.window().contextWindow;
  return `took the window for ${window} tokens and condensed${error === undefined ? "" : ` (${error})`}`;
}

/** Goes back to the last checkpoint, with log, state and files: what came after it may be half written. Says what was done. */
export async function restoreCheckpoint(agent: Agent): Promise<string> {
  const { session, options } = agent;
  const [last] = options.store === undefined ? [] : await session.checkpoints({ limit: 1 });
  if (last === undefined) return "tried again; there is no checkpoint yet";
  const files = options.workspace !== undefined && last.filesId !== undefined;
  await session.rewind({ toCheckpoint: last.id, files });
  agent.restoreState(last.state);
  return `went back to ${last.id}`;
}
