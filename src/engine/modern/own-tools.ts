import { PalimpsestError } from "../../core/errors.ts";
import type { LayeredState, Phase, PlanStep } from "../../core/layers/layered-state.ts";
import { learnFact } from "../../core/layers/updates/memory.ts";
import { setPlan } from "../../core/layers/updates/work-buffer.ts";
import type { ToolExecutor } from "../../core/ports/tool-executor.ts";
import { renderRecall } from "../../core/recall/render-recall.ts";
import type { ToolDefinition } from "../../core/tools/tool-definition.ts";
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
/** Before the agent's own tools, where not all of them fit. */
const OWN_PRIORITY = 1_000;

/** Tools that every agent of the engine has: they read and write its own memory, and nothing else. */
export const OWN_TOOLS: readonly ToolDefinition[] = [
  {
    name: "recall",
    description:
      "Searches what was said earlier in this conversation and is hidden now. Gives excerpts, word for word.",
    inputSchema: objectOf({ query: { type: "string", description: "Names and words that the excerpts should hold." } }),
  },
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

function objectOf(properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)) {
  return { type: "object", properties, required, additionalProperties: false };
}

export interface OwnToolsPorts {
  readonly session: Session;
  readonly update: (change: (state: LayeredState) => LayeredState) => void;
  readonly enterPhase: (phase: Phase, reason: string) => void;
  readonly now: () => number;
}

/** Executes {@link OWN_TOOLS}; arguments have been checked against their schemas. */
export function createOwnTools(ports: OwnToolsPorts): ToolExecutor & { has(name: string): boolean } {
  const { session, update, enterPhase, now } = ports;
  const names = new Set(OWN_TOOLS.map(({ name }) => name));
  return {
    has: (name) => names.has(name),
    execute: async ({ id, name, input }) => {
      const argument = (field: string): unknown => Reflect.get(Object(input), field);
      switch (name) {
        case "recall": {
          const hits = await session.recall(String(argument("query")));
          return hits.length === 0 ? "Nothing that is hidden matches." : renderRecall(hits);
        }
        case "remember": {
          const confidence = Number(argument("confidence") ?? 1);
          const content = String(argument("fact"));
          const source = String(argument("source"));
          update((state) => learnFact(state, { id, at: now(), content, source, confidence, isVerified: true }));
          return "It is remembered.";
        }
        case "update_plan": {
          const steps = readSteps(argument("steps"));
          update((state) => setPlan(state, steps));
          return `The plan has ${steps.length} steps, ${steps.filter(({ status }) => status === "done").length} of them done.`;
        }
        case "set_phase": {
          const phase = PHASES.find((each) => each === argument("phase")) ?? "executing";
          enterPhase(phase, String(argument("reason")));
          return `The phase is ${phase} now.`;
        }
        default:
          throw new PalimpsestError("not-found", `The engine has no tool ${JSON.stringify(name)} of its own.`);
      }
    },
  };
}

function readSteps(value: unknown): readonly PlanStep[] {
  const steps: readonly unknown[] = Array.isArray(value) ? value : [];
  return steps.map((step, index) => {
    const description = String(Reflect.get(Object(step), "description"));
    const status = STATUSES.find((each) => each === Reflect.get(Object(step), "status")) ?? "pending";
    return { id: `step-${index + 1}`, description, status, dependsOn: [] };
  });
}
