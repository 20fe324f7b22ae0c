/** Random agents at a gateway, as data. */
import fc from "fast-check";
import type { KnownWire } from "../support/known-wires.ts";

/** How an agent says which session a request is of. */
export type Naming = "ours" | "claude-code" | "thread" | "header" | "body" | "nothing";

export interface AgentPlan {
  readonly wire: KnownWire;
  readonly naming: Naming;
  /** How many of its first messages are the same as those of others. */
  readonly sharedCount: number;
  readonly hasCallIds: boolean;
}

const ACTS = [
  "step",
  "say",
  "retry",
  "retry at once",
  "send older",
  "reform",
  "remind",
  "clear results",
  "edit opening",
  "go back",
  "fork",
  "swap",
  "compact",
  "compact, keep opening",
  "title",
  "summary",
  "count",
  "switch model",
  "be refused",
  "set budget",
  "restart",
  "all at once",
] as const;
export type ActType = (typeof ACTS)[number];

export interface Act {
  readonly type: ActType;
  readonly agent: number;
  readonly calls: number;
  /** Of each result, in characters. */
  readonly size: number;
  readonly pick: number;
}

export interface GatewayPlan {
  readonly agents: readonly AgentPlan[];
  readonly acts: readonly Act[];
  readonly window: number;
  readonly gatewayCount: number;
  readonly maxOpenSessions: number;
}

const agent = fc.record<AgentPlan>({
  wire: fc.constantFrom("anthropic", "openai-chat", "openai-responses", "gemini"),
  naming: fc.constantFrom("ours", "claude-code", "thread", "header", "body", "nothing", "nothing"),
  sharedCount: fc.constantFrom(0, 1, 3),
  hasCallIds: fc.boolean(),
});

/** Agents mostly go on. */
const act = fc.record<Act>({
  type: fc.oneof(
    { weight: 3, arbitrary: fc.constant<ActType>("step") },
    { weight: 2, arbitrary: fc.constantFrom(...ACTS) },
  ),
  agent: fc.nat(2),
  calls: fc.integer({ min: 1, max: 3 }),
  size: fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: 20, max: 400 }) },
    { weight: 6, arbitrary: fc.integer({ min: 1_500, max: 5_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 30_000, max: 60_000 }) },
  ),
  pick: fc.nat(1_000),
});

/** Two of one kind, which nothing tells apart but what they say. */
function alike(plan: AgentPlan): readonly AgentPlan[] {
  const unnamed: AgentPlan = { ...plan, naming: "nothing", sharedCount: Math.max(1, plan.sharedCount) };
  return [unnamed, unnamed];
}

export const gatewayPlan: fc.Arbitrary<GatewayPlan> = fc.record({
  agents: fc.oneof(fc.array(agent, { minLength: 1, maxLength: 3 }), agent.map(alike)),
  acts: fc.array(act, { minLength: 10, maxLength: 30, size: "max" }),
  window: fc.integer({ min: 8_000, max: 20_000 }),
  gatewayCount: fc.constantFrom(1, 1, 2),
  maxOpenSessions: fc.constantFrom(1, 64),
});

/** Whether the calls to a store fail, in order: mostly they do not. */
export const storeFaults = fc.array(fc.constantFrom(true, false, false, false), {
  minLength: 5,
  maxLength: 200,
  size: "max",
});
