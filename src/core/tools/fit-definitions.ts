import type { ToolDecision } from "./judge-tool.ts";
import type { NarrowedParameter } from "./narrowing/narrow-tool.ts";
import type { SentTool } from "./tool-definition.ts";

/** A tool that the situation allows, and that is shown if the budget has room for it. */
export interface ToolCandidate {
  readonly type: "candidate";
  readonly tool: SentTool;
  readonly tokens: number;
  readonly priority: number;
  readonly parameters: readonly NarrowedParameter[];
  /** Why the phase allows it, as a sentence. */
  readonly reason: string;
}

export interface DefinitionLimits {
  readonly budgetTokens: number;
  readonly maxTools: number;
}

/**
 * Decides about every candidate: those with the highest priorities that fit are shown, among equals the first ones. A candidate that is too
 * large is skipped, so that smaller ones after it may still fit.
 */
export function fitDefinitions(
  judged: readonly (ToolCandidate | ToolDecision)[],
  { budgetTokens, maxTools }: DefinitionLimits,
): readonly ToolDecision[] {
  const hidden = new Map<ToolCandidate, ToolDecision>();
  let left = budgetTokens;
  let shown = 0;
  for (const candidate of judged.filter((each) => each.type === "candidate").sort(byPriority)) {
    const { tokens, tool } = candidate;
    if (shown === maxTools) {
      const reason = `Under high urgency only the ${maxTools} tools with the highest priority are shown.`;
      hidden.set(candidate, { type: "hidden", toolName: tool.name, cause: "urgency", reason });
    } else if (tokens > left) {
      const reason = `It takes ${tokens} tokens; of ${budgetTokens}, the tools before it left ${left}.`;
      hidden.set(candidate, { type: "hidden", toolName: tool.name, cause: "budget", reason });
    } else {
      left -= tokens;
      shown += 1;
    }
  }
  return judged.map((each) => (each.type === "candidate" ? (hidden.get(each) ?? show(each)) : each));
}

function byPriority(one: ToolCandidate, other: ToolCandidate): number {
  // not by subtraction, because tools in use have an infinite priority
  if (one.priority === other.priority) return 0;
  return one.priority > other.priority ? -1 : 1;
}

function show({ tool, tokens, parameters, reason }: ToolCandidate): ToolDecision {
  if (parameters.length === 0) return { type: "kept", toolName: tool.name, tokens, reason };
  const places = parameters.map(({ place }) => place).join(", ");
  const narrowed = `${reason} In production an allow-list holds ${places}.`;
  return { type: "narrowed", toolName: tool.name, tokens, parameters, reason: narrowed };
}
