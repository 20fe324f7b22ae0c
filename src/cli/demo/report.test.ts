import { describe, expect, test } from "vitest";
import { log, user } from "../../../test/support/messages.ts";
import { compareLogs, type ReplayResult, replay } from "./replay.ts";
import { isFlawless, type RecalledFact, recallHiddenFacts, reportOn } from "./report.ts";
import { type DemoFact, demoFacts, hiddenFacts } from "./session/demo-facts.ts";
import { demoSession } from "./session/demo-session.ts";

const SESSION = log(user("Hello"), { role: "assistant", content: "Good morning" });
const FACT = { question: "What was said first?", answer: "Hello", messageId: "m0" };
const FOUND: RecalledFact = {
  question: FACT.question,
  answer: FACT.answer,
  isHiddenInView: true,
  isFound: true,
  tokens: 40,
  excerpt: "Hello",
  messageId: "m0",
};
const NOT_FOUND: RecalledFact = { ...FOUND, isFound: false, excerpt: undefined, messageId: undefined };
const OPTIONS = { session: SESSION, facts: [FACT], contextWindow: 32_000, maxTokens: 4_000, recalled: [FOUND] };

function run(fields: Partial<ReplayResult> = {}): ReplayResult {
  return {
    strategy: "summary",
    peakViewTokens: 1,
    overflows: 0,
    invalidViews: 0,
    condensations: 0,
    refusedCondensations: 0,
    folds: {},
    model: { calls: 0, readTokens: 0, writtenTokens: 0 },
    sentTokens: 1,
    unfoldedTokens: 1,
    messagesHidden: 0,
    tokensHidden: 0,
    factsVisible: 1,
    foldedTurns: [],
    ...compareLogs(SESSION, SESSION),
    ...fields,
  };
}

test("runs without a fault make a flawless report", () => {
  const report = reportOn([run(), run()], OPTIONS);
  expect(report).toMatchObject({ session: { turns: 1, messages: 2 }, facts: 1, allowedTokens: 24_800, bytesLost: 0 });
  expect(report.hashAfter).toBe(report.hashBefore);
  expect(isFlawless(report)).toBe(true);
});

test.each([
  ["an overflow", { overflows: 1 }],
  ["an invalid view", { invalidViews: 1 }],
  ["a lost byte", { bytesLost: 1 }],
  ["a log that came back with something added", compareLogs(SESSION, [...SESSION, ...SESSION])],
])("%s in any run is a flaw", (_, fault) => {
  expect(isFlawless(reportOn([run(), run(fault)], OPTIONS))).toBe(false);
});

test("a message that changed or is gone counts with all its bytes", () => {
  const sizes = SESSION.map((message) => JSON.stringify(message).length);
  const changed = SESSION.with(0, user("Hallo"));
  expect(compareLogs(SESSION, changed).bytesLost).toBe(sizes[0]);
  expect(compareLogs(SESSION, SESSION.slice(0, 1)).bytesLost).toBe(sizes[1]);
});

test("the oldest hidden fact is the one that counts: not found, it is a flaw", () => {
  const found = reportOn([run()], { ...OPTIONS, recalled: [FOUND, NOT_FOUND] });
  expect(found).toMatchObject({ recall: FOUND, hiddenFacts: { total: 2, found: 1 } });
  expect(isFlawless(found)).toBe(true);
  expect(isFlawless(reportOn([run()], { ...OPTIONS, recalled: [NOT_FOUND, FOUND] }))).toBe(false);
});

test("where nothing is hidden, there is nothing to find", () => {
  const report = reportOn([run()], { ...OPTIONS, recalled: [] });
  expect(report.recall).toBeUndefined();
  expect(isFlawless(report)).toBe(true);
});

const LIMITS = { contextWindow: 32_000, maxTokens: 4_000 };

async function replayedSession(contextWindow = LIMITS.contextWindow) {
  const replaying = replay(demoSession(), { ...LIMITS, strategy: "ledger", contextWindow });
  for (;;) {
    const next = await replaying.next();
    if (next.done === true) return next.value.session;
  }
}

describe("recalling what the ledger hides of the demo session", async () => {
  const session = await replayedSession();
  const { recalled, firstTookMs } = await recallHiddenFacts(session, demoFacts);

  test("asks for the facts that are nowhere in the view, oldest first", async () => {
    const view = JSON.stringify(await session.view());
    const hidden = demoFacts.filter(({ answer }) => !view.includes(answer));
    expect(hidden.length).toBeGreaterThan(0);
    expect(recalled.map(({ question }) => question)).toEqual(hidden.map(({ question }) => question));
    expect(recalled.every((fact) => fact.isHiddenInView)).toBe(true);
  });

  test("finds the oldest, word for word, in the message that said it", async () => {
    const [oldest] = recalled;
    const said = demoFacts.find(({ question }) => question === oldest?.question);
    expect(oldest).toMatchObject({ isFound: true, messageId: said?.messageId });
    expect(oldest?.excerpt).toContain(said?.answer);
    expect(JSON.stringify(await session.expand(said?.messageId ?? ""))).toContain(oldest?.excerpt);
    expect(firstTookMs).toBeGreaterThan(0);
  });

  test("finds more than half of them, each within the budget of one recall", () => {
    const found = recalled.filter((fact) => fact.isFound);
    expect(found.length).toBeGreaterThan(recalled.length / 2);
    for (const { tokens } of recalled) expect(tokens).toBeLessThanOrEqual(1_500);
  });

  test("does not claim what no excerpt holds", async () => {
    const fact: DemoFact = { question: "On which port does staging listen?", answer: "port 99999", messageId: "m-001" };
    const nowhere = { isHiddenInView: true, isFound: false, excerpt: undefined, messageId: undefined };
    expect((await recallHiddenFacts(session, [fact])).recalled).toMatchObject([nowhere]);
  });
});

test("a window that holds everything leaves nothing to recall", async () => {
  const session = await replayedSession(1_000_000);
  expect(await recallHiddenFacts(session, demoFacts)).toEqual({ recalled: [], firstTookMs: 0 });
});

test("an answer is visible where any block of the view holds it", () => {
  const fact: DemoFact = { question: "Which path?", answer: 'C:\\quay\\"north"', messageId: "m0" };
  expect(hiddenFacts([fact], log(user(`It lies at ${fact.answer}.`)))).toEqual([]);
  expect(hiddenFacts([fact], log(user("It lies at the quay.")))).toEqual([fact]);
});
