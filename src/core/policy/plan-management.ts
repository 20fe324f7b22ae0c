import type { TruncationSelection } from "../truncate/fit-options.ts";
import type { ManagementDecision } from "./will-manage-context.ts";

/** One way to make the view smaller. They are tried in order, each only when those before did not reach the target. */
export type Rung =
  | { readonly type: "dedupe" }
  | { readonly type: "clear" }
  | { readonly type: "condense" }
  /** Taken only over the limit; clips in the end what is too large on its own. */
  | { readonly type: "truncate"; readonly selection: TruncationSelection };

/** What to do about a prompt's size. */
export type ManagementPlan =
  | { readonly type: "fits" }
  | {
      readonly type: "fold";
      readonly rungs: readonly Rung[];
      /** How small the prompt should become, so that the next fold is far away. */
      readonly targetTokens: number;
      /** How small it must become. */
      readonly allowedTokens: number;
    };

export interface PlanManagementOptions {
  /** Whether results of tools are folded before anything is condensed. */
  readonly foldsToolResults: boolean;
  /** Undefined where the view may not be truncated. */
  readonly selection: TruncationSelection | undefined;
  /** Whether large results that are cleared are put into files. @default false */
  readonly offloadsResults?: boolean;
  /** How small the prompt should become, as a share of the allowed tokens. @default well below threshold and limit */
  readonly targetShare?: number | undefined;
}

const TARGET_SHARE = 0.7;

/** Turns a decision into the rungs that carry it out, cheapest first. */
export function planManagement(
  decision: ManagementDecision,
  { foldsToolResults, selection, targetShare, offloadsResults = false }: PlanManagementOptions,
): ManagementPlan {
  const { shouldCondense, mustShrink, allowedTokens, triggerTokens, overheadTokens, targetTokens } = decision;
  if (!shouldCondense && !mustShrink) return { type: "fits" };
  // Clearing hides all old results or none, so it may miss a target by far. Where they are moved to files, the agent can still read them.
  const isAimed = targetShare !== undefined || (targetTokens !== undefined && shouldCondense && !offloadsResults);
  const clearing: readonly Rung[] = isAimed ? [] : [{ type: "clear" }];
  const toolRungs: readonly Rung[] = foldsToolResults ? [{ type: "dedupe" }, ...clearing] : [];
  const most = targetShare === undefined ? Math.min(allowedTokens, triggerTokens) : allowedTokens;
  return {
    type: "fold",
    rungs: [
      ...toolRungs,
      ...(shouldCondense ? [{ type: "condense" } as const] : []),
      ...(mustShrink && selection !== undefined ? [{ type: "truncate", selection } as const] : []),
    ],
    // A share of the conversation alone: no fold makes system prompt and tools smaller.
    targetTokens:
      targetShare === undefined && targetTokens !== undefined
        ? targetTokens
        : overheadTokens + Math.max(0, most - overheadTokens) * (targetShare ?? TARGET_SHARE),
    allowedTokens,
  };
}
