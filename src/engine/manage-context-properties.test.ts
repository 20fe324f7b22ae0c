/** What manageContext keeps to, over random conversations, numbers, counters and models. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTurns, conversationPlan, OPEN_CALL } from "../../test/properties/conversations.ts";
import { type Damage, damage, damaged } from "../../test/properties/damage.ts";
import { type Behaviour, FAILING, good, handler, replies } from "../../test/support/handlers.ts";
import { words } from "../../test/support/long-talk.ts";
import { deepFreeze } from "../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../test/support/property-runs.ts";
import { restoreAllMessages } from "../core/history/restore.ts";
import { effectiveView, getEffectiveApiHistory } from "../core/message/effective-view.ts";
import type { Block, Content, Message } from "../core/message/message.ts";
import { validateView } from "../core/message/validate-view.ts";
import { decideManagement, willManageContext } from "../core/policy/will-manage-context.ts";
import { countContentTokens } from "../core/tokens/count-content.ts";
import { type ContextManagementResult, manageContext } from "./manage-context.ts";

const behaviour = fc.constantFrom<Behaviour>(
  good,
  good,
  replies("Short."),
  replies(words(9_000)),
  ...Object.values(FAILING),
);

const settings = fc.record({
  contextWindow: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 500, max: 7_999 }) },
    { weight: 4, arbitrary: fc.integer({ min: 8_000, max: 14_000 }) },
  ),
  maxTokens: fc.option(fc.integer({ min: 0, max: 7_000 }), { nil: undefined, freq: 10 }),
  autoCondenseContext: fc.constantFrom(true, true, false),
  autoCondenseContextPercent: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 40, max: 120 })),
  profileThresholds: fc.dictionary(
    fc.constantFrom("fast", "slow"),
    fc.oneof(fc.integer({ min: -3, max: 110 }), fc.double()),
    {
      noNullPrototype: true,
    },
  ),
  currentProfileId: fc.constantFrom("fast", "slow", "none"),
  systemPrompt: fc.constantFrom("", "You help.", words(300)),
});

const situation = fc.record({
  plan: conversationPlan,
  isRunning: fc.boolean(),
  settings,
  behaviour,
  factor: fc.constantFrom(0.5, 1, 1.5, 3),
  /** How far off what the caller reports is. */
  reported: fc.constantFrom(0.5, 1, 1, 1.5, 4),
});

type Situation = typeof situation extends fc.Arbitrary<infer Value> ? Value : never;

const blocksOf = ({ content }: Message): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

async function run(
  { plan, isRunning, settings, behaviour, factor, reported }: Situation,
  damages: readonly Damage[] = [],
) {
  const { maxTokens, systemPrompt } = settings;
  const said = [...buildTurns(plan), ...(isRunning ? [OPEN_CALL] : [])];
  const messages = deepFreeze(damages.reduce(damaged, said));
  const count = (content: Content) => Math.ceil(factor * countContentTokens(content));
  const prompt = (log: readonly Message[]) =>
    count([
      ...(systemPrompt === "" ? [] : [{ type: "text", text: systemPrompt }]),
      ...effectiveView(log).flatMap(blocksOf),
    ]);
  const last = messages.at(-1);
  const lastMessageTokens = last === undefined ? 0 : count(blocksOf(last));
  const totalTokens = Math.max(0, Math.round(reported * (prompt(messages) - lastMessageTokens)));
  const model = handler(behaviour, { countTokens: count });
  const numbers = { ...settings, totalTokens, lastMessageTokens };
  const known = maxTokens === undefined ? (({ maxTokens: _, ...rest }) => rest)(numbers) : { ...numbers, maxTokens };
  const outcome = await manageContext({ ...settings, messages, totalTokens, apiHandler: model, taskId: "task" });
  return { messages, model, numbers: known, outcome, prompt };
}

function acted({ condenseId, error, messagesRemoved }: ContextManagementResult): boolean {
  return condenseId !== undefined || error !== undefined || messagesRemoved !== undefined;
}

type Run = Awaited<ReturnType<typeof run>>;

function expectAgreement({ messages, numbers, outcome, model }: Run): void {
  const { shouldCondense, mustShrink, prevContextTokens, warning } = decideManagement(numbers);
  expect(acted(outcome)).toBe(willManageContext(numbers));
  expect(outcome.prevContextTokens).toBe(prevContextTokens);
  expect(outcome.condenseId !== undefined || outcome.error !== undefined).toBe(shouldCondense);
  if (outcome.messagesRemoved !== undefined) expect(mustShrink).toBe(true);
  if (mustShrink && outcome.condenseId === undefined) expect(outcome.messagesRemoved).toBeDefined();
  if (!acted(outcome)) expect(outcome.messages).toBe(messages);
  if (!shouldCondense) expect(model.asked).toEqual([]);
  if (warning !== undefined) expect(outcome.warnings).toContain(warning);
}

function expectPromises({ messages, numbers, outcome, prompt }: Run): void {
  const { mustShrink, allowedTokens } = decideManagement(numbers);
  const size = prompt(outcome.messages);
  const saysTooLarge = outcome.warnings?.some((warning) => warning.includes("still has")) ?? false;
  expect(saysTooLarge).toBe(mustShrink && size > allowedTokens);
  if (outcome.messagesRemoved !== undefined) expect(outcome.newContextTokensAfterTruncation).toBe(size);
  expect(JSON.stringify(restoreAllMessages(outcome.messages))).toBe(JSON.stringify(messages));
  const open = new Set(validateView(messages).map((problem) => problem.toolUseId));
  const problems = validateView(effectiveView(outcome.messages));
  expect(problems.filter((problem) => !open.has(problem.toolUseId))).toEqual([]);
}

describe("managing a context", () => {
  test("does what willManageContext says beforehand, loses nothing, stays valid, and fits or says that it cannot", async () => {
    await fc.assert(
      fc.asyncProperty(situation, async (each) => {
        const managed = await run(each);
        expectAgreement(managed);
        expectPromises(managed);
      }),
      PROPERTY_RUNS,
    );
  });

  test("gives the same bytes for the same conversation, numbers and replies", async () => {
    const bytes = ({ outcome, model }: Run) => JSON.stringify([outcome, model.asked.map(({ messages }) => messages)]);
    await fc.assert(
      fc.asyncProperty(situation, async (each) => {
        expect(bytes(await run(each))).toBe(bytes(await run(each)));
      }),
      // Each run is two, and what it shows needs no rare case.
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 8) },
    );
  });
});

test("managing a context that is damaged gives views that providers take, and loses nothing", async () => {
  const damages = fc.array(damage, { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(situation, damages, async (each, faults) => {
    const { messages, outcome } = await run(each, faults);
    // Where the only message was lost, there is nothing to send.
    fc.pre(messages.length > 0);
    const view = getEffectiveApiHistory(outcome.messages);
    const isOpen = view.at(-1)?.role === "assistant";
    const problems = validateView(view).filter(({ code }) => !(isOpen && code === "missing-result"));
    expect(problems).toEqual([]);
    expect(JSON.stringify(restoreAllMessages(outcome.messages))).toBe(JSON.stringify(messages));
  });
  await fc.assert(property, PROPERTY_RUNS);
});
