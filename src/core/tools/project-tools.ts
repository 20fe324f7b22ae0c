import { assert, assertArray, assertNumber, assertObject } from "../assert.ts";
import type { Environment, LayeredState, Permission, Phase } from "../layers/layered-state.ts";
import type { CountTokens } from "../message/message.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";
import { compareTools, type ToolChange } from "./compare-tools.ts";
import { fitDefinitions, type ToolCandidate } from "./fit-definitions.ts";
import { type JudgeRules, judgeTool, type ToolDecision } from "./judge-tool.ts";
import { type AllowLists, assertAllowLists } from "./narrowing/allow-lists.ts";
import { DEFAULT_PHASE_MAP, type PhaseMap, resolvePhaseMap } from "./phase-map.ts";
import { assertTools, type SentTool, type ToolDefinition } from "./tool-definition.ts";

/** The agent's situation, as in the runtime layer of a state. */
export interface ToolSituation {
  readonly phase: Phase;
  readonly permissions: readonly Permission[];
  readonly environment: Environment;
}

/**
 * The default budget for tool definitions.
 * @example
 * ```ts
 * import { createInitialState, DEFAULT_TOOL_BUDGET_TOKENS, projectTools } from "palimpsest/agent";
 * const { tokens } = projectTools(createInitialState("Fix the login"), []);
 * console.log(tokens <= DEFAULT_TOOL_BUDGET_TOKENS); // true
 * ```
 */
export const DEFAULT_TOOL_BUDGET_TOKENS = 2_000;

/**
 * How many tools are shown under high urgency.
 * @example
 * ```ts
 * import { projectTools, type ToolDefinition, URGENT_TOOL_COUNT } from "palimpsest/agent";
 * const tool = (_: unknown, at: number): ToolDefinition => ({ name: `tool${at}`, description: "", inputSchema: {}, permissions: [], phases: ["executing"] });
 * const situation = { phase: "executing", permissions: [], environment: "dev" } as const;
 * const { tools } = projectTools(situation, Array.from({ length: 9 }, tool), { urgency: "high" });
 * console.log(tools.length === URGENT_TOOL_COUNT); // true
 * ```
 */
export const URGENT_TOOL_COUNT = 5;

export interface ProjectToolsOptions {
  /** Replaces the lists of some phases. @default DEFAULT_PHASE_MAP */
  readonly phaseMap?: Partial<PhaseMap>;
  /** Whether to show tools that no phase lists and that declare no phases of their own. @default "hide" */
  readonly unlistedTools?: "hide" | "show";
  /** The paths and commands that are allowed in production. @default none: tools with such parameters are hidden there */
  readonly allowLists?: AllowLists;
  /** @default DEFAULT_TOOL_BUDGET_TOKENS */
  readonly budgetTokens?: number;
  /** `high` shows only the {@link URGENT_TOOL_COUNT} tools with the highest priority. @default "normal" */
  readonly urgency?: "normal" | "high";
  /** Names of tools that are shown in any phase, before all others as long as they fit; they still need their permissions. @default none */
  readonly keepTools?: readonly string[];
  /** The projection of the last request. @default none: nothing is cached yet */
  readonly previous?: Pick<ToolProjection, "tools">;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
}

/** The tools to send, and the decisions behind them. */
export interface ToolProjection {
  /** In the given order, whatever their priorities, so that unchanged tools keep their position in the cached prompt. */
  readonly tools: readonly SentTool[];
  /** Tokens of the definitions; never more than the budget. */
  readonly tokens: number;
  /** One for each tool given, in order. */
  readonly decisions: readonly ToolDecision[];
  readonly change: ToolChange;
}

const NO_LISTS: AllowLists = {};

/**
 * Selects the tools for a situation: those of the phase whose permissions are all granted, in production narrowed to
 * the allow-lists; among those, the ones with the highest priority that fit the budget.
 *
 * Hiding a tool never breaks a history that used it: providers check calls and results against each other, not against
 * the definitions. (Some demand at least one definition beside a history with calls, which their handlers add.) If the
 * model calls a hidden tool from memory, the argument check refuses the call.
 * @example
 * ```ts
 * import { createInitialState, projectTools, setPhase, type ToolDefinition } from "palimpsest/agent";
 * const tool = (name: string, permissions: ToolDefinition["permissions"]): ToolDefinition => ({ name, permissions, description: name, inputSchema: { type: "object" } });
 * const state = setPhase(createInitialState("Fix the login", { permissions: ["read"] }), "planning");
 * const { tools } = projectTools(state, [tool("readFile", ["read"]), tool("writeFile", ["write"])]);
 * console.log(tools.map(({ name }) => name)); // [ 'readFile' ]
 * ```
 */
export function projectTools(
  situation: LayeredState | ToolSituation,
  tools: readonly ToolDefinition[],
  options: ProjectToolsOptions = {},
): ToolProjection {
  assertTools(tools);
  assertObject("options", options);
  const { budgetTokens = DEFAULT_TOOL_BUDGET_TOKENS, urgency = "normal", previous } = options;
  assertNumber("options.budgetTokens", budgetTokens, 0);
  assert(urgency === "normal" || urgency === "high", "options.urgency", urgency, '"normal" or "high"');
  if (previous !== undefined) assertArray("options.previous.tools", previous?.tools);
  const rules = resolveRules(assertSituation(situation), options);
  const judged = tools.map((tool) => judgeTool(tool, rules));
  const maxTools = urgency === "high" ? URGENT_TOOL_COUNT : Number.POSITIVE_INFINITY;
  const decisions = fitDefinitions(judged, { budgetTokens, maxTools });
  const shown = judged.filter((_, index) => decisions[index]?.type !== "hidden").filter(isCandidate);
  const sent = shown.map(({ tool }) => tool);
  return {
    tools: sent,
    tokens: shown.reduce((sum, { tokens }) => sum + tokens, 0),
    decisions,
    change: compareTools(previous?.tools, sent),
  };
}

function resolveRules(situation: ToolSituation, options: ProjectToolsOptions): JudgeRules {
  const { phaseMap, unlistedTools = "hide", allowLists = NO_LISTS, keepTools = [] } = options;
  const isKnown = unlistedTools === "hide" || unlistedTools === "show";
  assert(isKnown, "options.unlistedTools", unlistedTools, '"hide" or "show"');
  assertArray("options.keepTools", keepTools);
  assertAllowLists(allowLists);
  return {
    ...situation,
    allowLists,
    permissions: new Set(situation.permissions),
    phaseMap: phaseMap === undefined ? DEFAULT_PHASE_MAP : resolvePhaseMap(phaseMap),
    showsUnlisted: unlistedTools === "show",
    keepTools: new Set(keepTools),
    countTokens: checkedCounter(options.countTokens),
  };
}

function isCandidate(judged: ToolCandidate | ToolDecision): judged is ToolCandidate {
  return judged.type === "candidate";
}

function assertSituation(given: LayeredState | ToolSituation): ToolSituation {
  assertObject("situation", given);
  const situation = "l2_runtime" in given ? given.l2_runtime : given;
  const { phase, permissions, environment } = situation;
  const phases = Object.keys(DEFAULT_PHASE_MAP);
  assert(phases.includes(phase), "situation.phase", phase, phases.join(", "));
  assertArray("situation.permissions", permissions);
  const isKnown = ["dev", "staging", "prod"].includes(environment);
  assert(isKnown, "situation.environment", environment, "dev, staging or prod");
  return situation;
}
