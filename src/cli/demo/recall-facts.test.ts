import { describe, expect, test } from "vitest";
import { log, user } from "../../../test/support/messages.ts";
import { replay } from "./replay.ts";
import { recallHiddenFacts } from "./report.ts";
import { type DemoFact, demoFacts, hiddenFacts } from "./session/demo-facts.ts";
import { demoSession } from "./session/demo-session.ts";

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
