import { PalimpsestError } from "../../core/errors.ts";
import { asRecord } from "../../core/json/read-json.ts";
import type { LayeredState, Phase, PlanStep } from "../../core/layers/layered-state.ts";
import { learnFact, recordEpisode } from "../../core/layers/updates/memory.ts";
import { PHASE_TRANSITIONS } from "../../core/layers/updates/phases.ts";
import { setPlan } from "../../core/layers/updates/work-buffer.ts";
import type { ToolExecutor } from "../../core/ports/tool-executor.ts";
import { CONDENSE_TOOL, type ContextToolDefinition, PIN_TOOL } from "../../core/recall/context-tool-definitions.ts";
import { RECALL_TOOL_DESCRIPTION, RECALL_TOOL_NAME, recallInputSchema } from "../../core/recall/tool-definition.ts";
import type { ToolDefinition } from "../../core/tools/tool-definition.ts";
import { answerCondense, answerPin, type ToolAnswer } from "../recall/answer-actions.ts";
import { recallTool } from "../recall/recall-tool.ts";
import type { Session } from "../session/session.ts";

const PHASES = ["planning", "executing", "reflecting", "verifying", "completed"] as const satisfies readonly Phase[];
const STATUSES = [
  "pending",
  "in-progress",
  "done",
  "failed",
  "skipped",
] as const satisfies readonly PlanStep["status"][];
const ALWAYS: readonly Phase[] = ["initializing", "planning", "executing", "reflecting", "verifying", "failed"];
/** Higher than the priorities of the user's tools, where not all fit. */
const OWN_PRIORITY = 1_000;

/** The tools that every agent has: they read and write its own memory, and nothing else. */
export const OWN_TOOLS: readonly ToolDefinition[] = [
  { name: RECALL_TOOL_NAME, description: RECALL_TOOL_DESCRIPTION, inputSchema: recallInputSchema() },
  ownTool(CONDENSE_TOOL),
  ownTool(PIN_TOOL),
  {
    name: "remember",
    description: "Keeps a fact for the rest of the task.",
    inputSchema: objectOf(
      {
        fact: { type: "string" },
        source: { type: "string", description: "Where it is from: a file, a command, a person." },
        confidence: { type: "number", minimum: 0, maximum: 1 },
      },
      ["fact", "source"],
    ),
  },
  {
    name: "update_plan",
    description: "Replaces the plan. Call it when you have one, and whenever a step is done or changes.",
    inputSchema: objectOf({
      steps: {
        type: "array",
        items: objectOf({ description: { type: "string" }, status: { type: "string", enum: STATUSES } }),
      },
    }),
  },
  {
    name: "set_phase",
    description:
      "Goes on to another phase. Each phase has its own tools: planning looks around, executing changes things and runs them, " +
      "reflecting compares and measures, verifying checks the result.",
    inputSchema: objectOf({ phase: { type: "string", enum: PHASES }, reason: { type: "string" } }),
  },
].map((tool) => ({ ...tool, permissions: [], phases: ALWAYS, priority: OWN_PRIORITY }));

function ownTool({ name, description, properties, required }: ContextToolDefinition) {
  return { name, description, inputSchema: objectOf(properties, [...required]) };
}

function objectOf(properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)) {
  return { type: "object", properties, required, additionalProperties: false };
}

export interface OwnToolsPorts {
  readonly session: Session;
  readonly state: () => LayeredState;
  readonly update: (change: (state: LayeredState) => LayeredState) => void;
  /** Returns false where the present phase does not allow it. */
  readonly enterPhase: (phase: Phase, reason: string) => boolean;
  readonly now: () => number;
}

/** Executes {@link OWN_TOOLS}. The arguments must have been checked against their schemas. */
export function createOwnTools(ports: OwnToolsPorts): ToolExecutor & { has(name: string): boolean } {
  const names = new Set(OWN_TOOLS.map(({ name }) => name));
  return {
    has: (name) => names.has(name),
    execute: async ({ name, input }) => {
      const argument = (field: string): unknown => Reflect.get(Object(input), field);
      switch (name) {
        case RECALL_TOOL_NAME:
          return recallTool(ports.session).execute(input);
        case CONDENSE_TOOL.name:
          return ownResult(await answerCondense(ports.session));
        case PIN_TOOL.name:
          return ownResult(await answerPin(ports.session, asRecord(input) ?? {}));
        case "remember":
          return rememberFact(ports, {
            content: String(argument("fact")),
            source: String(argument("source")),
            confidence: Number(argument("confidence") ?? 1),
          });
        case "update_plan":
          return updatePlan(ports, readSteps(argument("steps")));
        case "set_phase":
          return changePhase(ports, argument("phase"), String(argument("reason")));
        default:
          throw new PalimpsestError("not-found", `The engine has no tool ${JSON.stringify(name)} of its own.`);
      }
    },
  };
}

function ownResult({ text, isError = false }: ToolAnswer) {
  return { content: text, isError };
}

function rememberFact(
  { update, now }: OwnToolsPorts,
  fact: { readonly content: string; readonly source: string; readonly confidence: number },
): string {
  update((state) => {
    const { facts } = state.l3_memory.semantic;
    // A repeated fact keeps its id. The ids of calls cannot be used, as some models repeat them.
    const id = facts.find(({ content }) => content === fact.content)?.id ?? `fact-${facts.length + 1}`;
    return learnFact(state, { id, at: now(), ...fact, isVerified: true });
  });
  return "It is remembered.";
}

function updatePlan({ update, now }: OwnToolsPorts, steps: readonly PlanStep[]): string {
  const isDone = ({ status }: PlanStep) => status === "done";
  update((state) => {
    const before = new Set(state.l5_workBuffer.plan.filter(isDone).map(({ description }) => description));
    const finished = steps.filter((step) => isDone(step) && !before.has(step.description));
    return finished.reduce(
      (noted, { description: content }) =>
        recordEpisode(noted, { type: "milestone", id: `done: ${content}`, at: now(), content, importance: "medium" }),
      setPlan(state, steps),
    );
  });
  return `The plan has ${steps.length} steps, ${steps.filter(isDone).length} of them done.`;
}

function changePhase({ state, enterPhase }: OwnToolsPorts, wanted: unknown, reason: string) {
  const { phase: current } = state().l2_runtime;
  const phase = PHASES.find((each) => each === wanted);
  if (phase !== undefined && enterPhase(phase, reason)) return `The phase is ${phase} now.`;
  const content = `${current} cannot become ${String(wanted)}; it may become ${PHASE_TRANSITIONS[current].join(", ")}.`;
  return { content, isError: true };
}

function readSteps(value: unknown): readonly PlanStep[] {
  const steps: readonly unknown[] = Array.isArray(value) ? value : [];
  return steps.map((step, index) => {
    const description = String(Reflect.get(Object(step), "description"));
    const status = STATUSES.find((each) => each === Reflect.get(Object(step), "status")) ?? "pending";
    return { id: `step-${index + 1}`, description, status, dependsOn: [] };
  });
}
