import type { Environment, Permission, Phase } from "../layers/layered-state.ts";
import type { CountTokens } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";
import type { ToolCandidate } from "./fit-definitions.ts";
import type { AllowLists } from "./narrowing/allow-lists.ts";
import { type NarrowedParameter, narrowTool } from "./narrowing/narrow-tool.ts";
import { isListed, type PhaseMap } from "./phase-map.ts";
import { schemaExcess } from "./schema-bounds.ts";
import { type SentTool, sentTool, type ToolDefinition } from "./tool-definition.ts";

/** Why a tool is not shown. */
export type HidingCause =
  | "phase"
  | "permission"
  /** In production, it has a parameter that cannot be restricted to an allow-list. */
  | "environment"
  /** Tools with a higher priority left too little of the budget. */
  | "budget"
  /** It is not among the few tools that are shown under high urgency. */
  | "urgency"
  /** Its schema is too large or too deep to be sent. */
  | "schema";

/** The decision about one tool, as a plain object for audits. `reason` is a sentence for people. */
export type ToolDecision =
  | { readonly type: "kept"; readonly toolName: string; readonly tokens: number; readonly reason: string }
  | {
      readonly type: "narrowed";
      readonly toolName: string;
      readonly tokens: number;
      readonly parameters: readonly NarrowedParameter[];
      readonly reason: string;
    }
  | { readonly type: "hidden"; readonly toolName: string; readonly cause: HidingCause; readonly reason: string };

export interface JudgeRules {
  readonly phase: Phase;
  readonly permissions: ReadonlySet<Permission>;
  readonly environment: Environment;
  readonly phaseMap: PhaseMap;
  readonly showsUnlisted: boolean;
  readonly allowLists: AllowLists;
  readonly keepTools: ReadonlySet<string>;
  readonly countTokens: CountTokens;
}

/** Decides whether the situation allows a tool, without regard to the budget. */
export function judgeTool(tool: ToolDefinition, rules: JudgeRules): ToolCandidate | ToolDecision {
  const missing = tool.permissions.filter((permission) => !rules.permissions.has(permission));
  if (missing.length > 0) return hide(tool, "permission", `It needs ${missing.join(", ")}, which is not granted.`);
  const isKept = rules.keepTools.has(tool.name);
  const phaseReason = isKept ? "It is in use." : showingPhase(tool, rules);
  if (phaseReason === undefined) return hide(tool, "phase", hidingPhase(tool, rules));
  const excess = schemaExcess(tool.inputSchema);
  if (excess !== undefined) return hide(tool, "schema", `It cannot be sent: ${excess}.`);
  const narrowing = narrowFor(tool, rules);
  if (narrowing.type === "impossible") {
    return hide(tool, "environment", `It cannot be narrowed for production: ${narrowing.reason}.`);
  }
  return {
    type: "candidate",
    tool: narrowing.tool,
    tokens: definitionTokens(narrowing.tool, rules.countTokens),
    priority: isKept ? Number.POSITIVE_INFINITY : (tool.priority ?? 0),
    parameters: narrowing.type === "narrowed" ? narrowing.parameters : [],
    reason: phaseReason,
  };
}

function hide({ name }: ToolDefinition, cause: HidingCause, reason: string): ToolDecision {
  return { type: "hidden", toolName: name, cause, reason };
}

function narrowFor(tool: ToolDefinition, { environment, allowLists }: JudgeRules): ReturnType<typeof narrowTool> {
  return environment === "prod" ? narrowTool(tool, allowLists) : { type: "unchanged", tool: sentTool(tool) };
}

/** Why the phase allows a tool; undefined where it does not. */
function showingPhase(tool: ToolDefinition, { phase, phaseMap, showsUnlisted }: JudgeRules): string | undefined {
  if (tool.phases !== undefined) {
    return tool.phases.includes(phase) ? `It declares the phase ${phase}.` : undefined;
  }
  if (isListed(tool, phaseMap[phase])) return `The phase ${phase} lists it.`;
  return showsUnlisted && isUnlisted(tool, phaseMap) ? "No phase lists it, and such tools are shown." : undefined;
}

function hidingPhase(tool: ToolDefinition, { phase, phaseMap }: JudgeRules): string {
  if (tool.phases !== undefined) return `It declares the phases ${tool.phases.join(", ") || "none"}, not ${phase}.`;
  const listed = phaseMap[phase].join(", ") || "no tools";
  return isUnlisted(tool, phaseMap)
    ? `No phase lists it by name, alias or capability: declare its capabilities or its phases.`
    : `The phase ${phase} lists ${listed}.`;
}

function isUnlisted(tool: ToolDefinition, phaseMap: PhaseMap): boolean {
  return !Object.values(phaseMap).some((names) => isListed(tool, names));
}

const countsByCounter = new WeakMap<CountTokens, WeakMap<SentTool, number>>();

/** Tokens of a definition as it is sent, counted once per counter and object. */
function definitionTokens(tool: SentTool, countTokens: CountTokens): number {
  let counts = countsByCounter.get(countTokens);
  if (counts === undefined) {
    counts = new WeakMap();
    countsByCounter.set(countTokens, counts);
  }
  const cached = counts.get(tool);
  if (cached !== undefined) return cached;
  const count = countTokens(serialize(tool));
  counts.set(tool, count);
  return count;
}
