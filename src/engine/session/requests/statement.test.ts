/** The statement of a session, and of all of them. */
import { expect, test } from "vitest";
import { assistant, user } from "../../../../test/support/messages.ts";
import { prose, talkOf } from "../../../../test/support/sessions.ts";
import { describeSessions, describeStores } from "../../../../test/support/stores.ts";
import { createEngine, type Engine, type Session, type Store } from "../../../index.ts";

const engineOn = (store: Store | undefined): Engine =>
  createEngine({ model: "claude-sonnet-4-5", contextWindow: 20_000, maxTokens: 1_000, ...(store && { store }) });

/** Turns of about 2,000 tokens with a provider that caches nothing, and bills what we foretell. */
async function talk(session: Session, turns: number): Promise<number> {
  let sentTokens = 0;
  for (let turn = 0; turn < turns; turn++) {
    await session.append(user(prose(1_000, `ask ${turn}`)));
    const { report } = await session.prepare();
    sentTokens += report.promptTokens;
    session.observe({ inputTokens: report.promptTokens, outputTokens: 1_000 });
    await session.append(assistant(prose(1_000, `reply ${turn}`)));
  }
  return sentTokens;
}

await describeSessions("a statement", (makePlace) => {
  test("says what was spent, and what the same requests would have cost", async () => {
    const session = await engineOn(makePlace().open()).session("task");
    const sentTokens = await talk(session, 20);
    const statement = await session.statement();
    const { requests, unpriced, spentUsd, withoutFoldsUsd, optimumUsd, savedUsd, usage } = statement;
    expect({ requests, unpriced }).toEqual({ requests: 20, unpriced: 0 });
    expect(spentUsd).toBeCloseTo((sentTokens * 3 + 20_000 * 15) / 1e6, 9);
    expect(usage).toEqual({ inputTokens: sentTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 20_000 });
    expect(savedUsd.againstNothing).toBeCloseTo(withoutFoldsUsd - spentUsd, 12);
    expect(savedUsd.againstNothing).toBeGreaterThan(0);
    expect(optimumUsd).toBeLessThanOrEqual(withoutFoldsUsd);
    expect(statement.folds.reduce((sum, fold) => sum + fold.requests, 0)).toBeGreaterThan(0);
    // Nothing is cached here: what the folds hid would have been paid in full with every request.
    const earned = statement.folds.reduce((sum, fold) => sum + fold.earnedUsd - fold.costUsd, 0);
    expect(earned / savedUsd.againstNothing).toBeGreaterThan(0.9);
    expect(earned / savedUsd.againstNothing).toBeLessThan(1.1);
  });

  test("has what condensing by hand cost, and what it hid", async () => {
    const session = await engineOn(makePlace().open()).session("task", { messages: talkOf(20, 390) });
    await session.prepare();
    session.observe({ inputTokens: 8_000 });
    await session.condense();
    await session.append(assistant("Because."), user("And then?"));
    await session.prepare();
    session.observe({ inputTokens: 3_000 });
    const { folds } = await session.statement();
    expect(folds).toMatchObject([{ cause: "hand", requests: 1 }]);
    expect(folds[0]?.hiddenTokens).toBeGreaterThan(3_000);
    expect(folds[0]?.earnedUsd).toBeGreaterThan(0);
  });

  test("of all sessions is the sum of theirs, and a branch adds nothing", async () => {
    const engine = engineOn(makePlace().open());
    const [first, second] = [await engine.session("a"), await engine.session("b")];
    await talk(first, 3);
    await talk(second, 2);
    await first.branch("c");
    const all = await engine.statement();
    const sum = (await first.statement()).spentUsd + (await second.statement()).spentUsd;
    expect(all).toMatchObject({ sessions: 3, requests: 5 });
    expect(all.spentUsd).toBeCloseTo(sum, 12);
  });

  test("of nothing is zero", async () => {
    const engine = engineOn(makePlace().open());
    expect(await engine.statement()).toMatchObject({ sessions: 0, requests: 0, spentUsd: 0, folds: [] });
  });
});

await describeStores("a stored statement", (makePlace) => {
  test("is the same in another process, and without opening the session", async () => {
    const place = makePlace();
    const session = await engineOn(place.open()).session("task");
    await talk(session, 12);
    const statement = await session.statement();
    const again = engineOn(place.open());
    const { sessions: _, ...all } = await again.statement();
    const { sessions: _1, ...one } = statement;
    expect(all).toEqual(one);
    expect(await (await again.session("task")).statement()).toEqual(statement);
  });
});
