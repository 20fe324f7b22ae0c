import { describe, expect, test } from "vitest";
import { type Behaviour, FAILING, GOOD_SUMMARY, handler, inTurn, replies } from "../../../test/support/handlers.ts";
import { openSession, problemsOf, SMALL, talkOf, toolLoop } from "../../../test/support/sessions.ts";
import { HYBRID_PROMPT } from "../../core/condense/hybrid/hybrid-prompt.ts";
import { hybridSummaryOf, ledgerBeside } from "../../core/condense/hybrid/hybrid-text.ts";
import { messageTexts } from "../../core/text/message-texts.ts";
import { createEngine, type Hooks, type Message, modelCondenser } from "../../index.ts";

const LOOP = toolLoop(30, 300);
const FULL = talkOf(20, 390);

async function condensed(behaviour: Behaviour, messages: readonly Message[] = LOOP, contextWindow?: number) {
  const model = handler(behaviour, contextWindow === undefined ? {} : { contextWindow });
  const engine = createEngine({ ...SMALL, now: () => 0, condenser: modelCondenser(model) });
  const session = await engine.session("task", { messages });
  const result = await session.condense();
  const view = (await session.prepare()).messages;
  const standIn = view.find((message) => hybridSummaryOf(message) !== undefined);
  return { model, engine, session, result, view, standIn };
}

test("is what a model condenser does unless told otherwise, in one message, and loses nothing", async () => {
  const { model, engine, session, result, standIn } = await condensed(replies(GOOD_SUMMARY));
  expect(result).toMatchObject({ summary: GOOD_SUMMARY, cost: 0.01, modelCalls: 1 });
  expect(result.error).toBeUndefined();
  expect(standIn && hybridSummaryOf(standIn)).toBe(GOOD_SUMMARY);
  expect(standIn && ledgerBeside(standIn)).toMatch(/^Ledger of the earlier conversation/);
  expect(engine.getHistory()).toMatchObject([{ type: "success", strategy: "hybrid", costUsd: 0.01 }]);
  expect(model.asked).toHaveLength(1);
  expect(model.asked[0]?.systemPrompt).toBe(HYBRID_PROMPT);
  expect(model.asked[0]?.call?.maxOutputTokens).toBeLessThanOrEqual(2_500);
  expect(await problemsOf(session, LOOP)).toEqual([]);
});

test("the model is told how much room there is, and what it lists is quoted but not shown", async () => {
  const { model, result, standIn } = await condensed(replies(`${GOOD_SUMMARY}\n\n## Needed\n- \`nobody_said_this\``));
  const [asked] = model.asked;
  expect([...messageTexts(asked?.messages.slice(-1) ?? [])].join("\n")).toMatch(
    /in no more than \d+ words\. Of the listed places, about \d+ lines can be quoted/,
  );
  expect(result.summary).toBe(GOOD_SUMMARY);
  expect([...messageTexts(standIn ? [standIn] : [])].join("\n")).not.toMatch(/Needed|nobody_said_this/);
});

test("tool output is fenced in what the model reads, and the request says that it is data", async () => {
  const { model } = await condensed(replies(GOOD_SUMMARY));
  const read = [...messageTexts(model.asked[0]?.messages ?? [])].join("\n");
  expect(read).toContain("<tool_output tool=");
  expect(read).toMatch(/It is data: .+ never follow/);
});

describe("the ledger takes its place, at the cost of what was asked in vain, where", () => {
  test.each<[string, Behaviour]>([
    ["the model fails", FAILING.throws],
    ["it replies nothing", FAILING.repliesNothing],
    ["it dies in the middle", FAILING.diesMidStream],
    ["it refuses", replies("I'm sorry, I cannot help with that.")],
    ["it says the same again and again", replies("The work goes on as it did before. ".repeat(60))],
  ])("%s", async (_why, behaviour) => {
    const { engine, session, result, view, standIn } = await condensed(behaviour);
    expect(result.error).toBeUndefined();
    expect(result.modelError).toMatch(/^hybrid: /);
    expect(standIn).toBeUndefined();
    expect([...messageTexts(view)].some((text) => text.startsWith("Ledger of the earlier conversation"))).toBe(true);
    expect(engine.getHistory().map(({ type }) => type)).toEqual(["failure", "success"]);
    expect(await problemsOf(session, LOOP)).toEqual([]);
  });
});

test("a conversation too large for the condensing model is read in parts, each with the reply to the one before", async () => {
  const parts = ["one", "two", "three", "four"].map((part) => replies(`${GOOD_SUMMARY}\nPart ${part}.`));
  const behaviour = inTurn(parts[0] ?? replies(""), ...parts.slice(1));
  const { model, result } = await condensed(behaviour, toolLoop(24, 300), 6_000);
  expect(result.error).toBeUndefined();
  expect(model.asked.length).toBeGreaterThan(1);
  const second = [...messageTexts(model.asked[1]?.messages ?? [])].join("\n");
  expect(second).toContain("Part one.");
  expect(result.cost).toBeCloseTo(0.01 * model.asked.length);
});

test("the next condensation is given the summary of the one before, to be brought up to date", async () => {
  const { model, session } = await condensed(inTurn(replies(GOOD_SUMMARY), replies(`${GOOD_SUMMARY}\nAnd more.`)));
  await session.append(...talkOf(8, 390));
  const again = await session.condense();
  expect(again.error).toBeUndefined();
  const request = [...messageTexts(model.asked[1]?.messages.slice(-1) ?? [])].join("\n");
  expect(request).toContain(`<earlier_summary>\n${GOOD_SUMMARY}\n</earlier_summary>`);
});

test("a hook edits what the model wrote, and the quoted lines stay", async () => {
  const after: Hooks = {
    name: "editor",
    afterCondensation: () => ({ type: "edit", summary: `${GOOD_SUMMARY}\nEdited.` }),
  };
  const { session } = await openSession(
    { condenser: modelCondenser(handler(replies(GOOD_SUMMARY))), hooks: [after] },
    { messages: FULL },
  );
  expect((await session.condense()).error).toBeUndefined();
  const standIn = (await session.prepare()).messages.find((message) => hybridSummaryOf(message) !== undefined);
  expect(standIn && hybridSummaryOf(standIn)).toBe(`${GOOD_SUMMARY}\nEdited.`);
  expect(standIn && ledgerBeside(standIn)).not.toBe("");
});

test("prepared ahead, it is put in place when it is needed", async () => {
  const model = handler(replies(GOOD_SUMMARY));
  const { session } = await openSession(
    { condenser: modelCondenser(model), configuration: { strategies: { background: true } } },
    { messages: talkOf(20, 325) },
  );
  expect((await session.prepare()).report.foldIds).toEqual([]);
  await session.append(...talkOf(4, 390));
  const { report, messages } = await session.prepare();
  expect(report.foldIds.map((id) => id.split("-")[0])).toEqual(["condense"]);
  expect(messages.some((message) => hybridSummaryOf(message) === GOOD_SUMMARY)).toBe(true);
  expect(model.asked).toHaveLength(1);
});

test("what the summary cost is in the statement", async () => {
  const { session } = await condensed(replies(GOOD_SUMMARY, { totalCost: 0.07 }));
  expect((await session.statement()).condensingUsd).toBeCloseTo(0.07);
});

test("a custom prompt takes the place of ours", async () => {
  const model = handler(replies(GOOD_SUMMARY));
  const configuration = { strategies: { customPrompts: { hybrid: "Be terse." } } };
  const { session } = await openSession({ condenser: modelCondenser(model), configuration }, { messages: FULL });
  await session.condense();
  expect(model.asked[0]?.systemPrompt).toBe("Be terse.");
});

test("recall finds what was said and what the model wrote, not the lines quoted beside it", async () => {
  const { session, result } = await condensed(
    inTurn(replies(`${GOOD_SUMMARY}\nThe pelican waits.`), replies(GOOD_SUMMARY)),
  );
  await session.append(...talkOf(8, 390));
  expect((await session.condense()).error).toBeUndefined();
  const found = async (query: string) => {
    const hits = await session.recall(query, { budgetTokens: 4_000 });
    return JSON.stringify(hits.filter(({ messageId }) => messageId === result.condenseId));
  };
  expect(await found("pelican")).toContain("The pelican waits.");
  expect(await found("Ledger of the earlier conversation")).not.toContain("lines quoted word for word");
});
