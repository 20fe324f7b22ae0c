/** Why a checkpoint is made. `turn`: a person has spoken, and the agent has not done anything about it yet. */
export type CheckpointReason = "manual" | "turn" | "phase" | "interval" | "messages" | "tokens";

/** How often checkpoints are made without being asked for. */
export interface CheckpointRules {
  /** @default 600_000 */
  readonly intervalMs: number;
  /** Messages since the last one. @default 50 */
  readonly messages: number;
  /** Tokens since the last one. @default 100_000 */
  readonly tokens: number;
}

export const DEFAULT_CHECKPOINT_RULES: CheckpointRules = { intervalMs: 600_000, messages: 50, tokens: 100_000 };

/** The time and phase of a session at one moment. */
export interface CheckpointMoment {
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** What its agent is doing; a change of phase makes a checkpoint due. @default none */
  readonly phase?: string | undefined;
}

/** What was added since the last checkpoint, or since the session began. */
export interface CheckpointGrowth {
  readonly messages: number;
  readonly tokens: number;
}

/** The reason for which a checkpoint is due, the most telling one of several; undefined where none is due. */
export function decideCheckpoint(
  {
    last,
    now,
    growth,
  }: { readonly last: CheckpointMoment; readonly now: CheckpointMoment; readonly growth: CheckpointGrowth },
  rules: CheckpointRules = DEFAULT_CHECKPOINT_RULES,
): Exclude<CheckpointReason, "manual" | "turn"> | undefined {
  if (now.phase !== last.phase) return "phase";
  // Without new messages there is nothing to keep.
  if (growth.messages === 0) return undefined;
  if (growth.tokens >= rules.tokens) return "tokens";
  if (growth.messages >= rules.messages) return "messages";
  return now.at - last.at >= rules.intervalMs ? "interval" : undefined;
}
