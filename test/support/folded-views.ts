/** Views as `prepare()` returns them: random conversations, also damaged ones, in windows that are too small for them. */
import fc from "fast-check";
import type { Message } from "../../src/core/message/message.ts";
import { createEngine, modelCondenser } from "../../src/index.ts";
import { buildTurns, type ConversationPlan, conversationPlan } from "../properties/conversations.ts";
import { type Damage, damage, damaged } from "../properties/damage.ts";
import { GOOD_SUMMARY, handler, replies } from "./handlers.ts";

export interface ViewPlan {
  readonly conversation: ConversationPlan;
  readonly damages: readonly Damage[];
  readonly strategy: "truncation" | "ledger" | "summary";
  readonly contextWindow: number;
}

export const viewPlan: fc.Arbitrary<ViewPlan> = fc.record({
  conversation: conversationPlan,
  damages: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(damage, { maxLength: 2 })),
  strategy: fc.constantFrom("truncation", "ledger", "summary"),
  contextWindow: fc.integer({ min: 1_500, max: 9_000 }),
});

/** The view of the conversation, to which the user has just said something; `change` sees it before it is damaged. */
export async function viewOf(
  { conversation, damages, strategy, contextWindow }: ViewPlan,
  change: (messages: readonly Message[]) => readonly Message[] = (messages) => messages,
): Promise<readonly Message[]> {
  const log = damages.reduce(damaged, change(buildTurns(conversation))).map(withoutLabels);
  const engine = createEngine({
    model: "test-model",
    contextWindow,
    maxTokens: 200,
    condenser: strategy === "summary" ? modelCondenser(handler(replies(GOOD_SUMMARY))) : [],
    configuration: {
      strategies: { primary: strategy === "truncation" ? "truncation" : "hybrid", background: false },
      validation: { enabled: false },
    },
    now: () => 0,
  });
  const session = await engine.session("task", { messages: log });
  await session.append({ role: "user", content: "Go on." });
  return (await session.prepare()).messages;
}

/** Damage doubles messages, and no log has an id twice. */
function withoutLabels({ role, content }: Message): Message {
  return { role, content };
}

/** Whether a fold hides something of it. */
export function isFolded(view: readonly Message[]): boolean {
  return view.some(
    ({ folds = [], isSummary, isTruncationMarker }) => folds.length > 0 || isSummary || isTruncationMarker,
  );
}
