import { describe, expect, test } from "vitest";
import { createEngine } from "../create-engine.ts";

const LIMITS = { model: "my-model", contextWindow: 2_000, maxTokens: 200 };
const told = /\[context: \d+ % of 2,000 tokens used/;

async function prepared(words: number, thresholds: { readonly global: number }) {
  const configuration = { thresholds, monitoring: { budgetNotice: true } };
  const session = await createEngine({ ...LIMITS, configuration }).session("a");
  await session.append(
    { role: "user", content: "quiet ".repeat(300) },
    { role: "assistant", content: "quiet ".repeat(300) },
    { role: "user", content: "quiet ".repeat(words) },
  );
  const { messages, report } = await session.prepare();
  return { session, messages, report };
}

describe.each([
  ["the limit", { global: 100 }],
  ["the size from which on something is folded", { global: 70 }],
])("up to %s", (_, thresholds) => {
  test("a notice never makes a view too long, and the same log is the same view", async () => {
    const notices: boolean[] = [];
    for (let words = 700; words <= 1_050; words += 7) {
      const { session, messages, report } = await prepared(words, thresholds);
      expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
      expect((await session.prepare()).messages).toEqual(messages);
      notices.push(told.test(JSON.stringify(messages)));
    }
    expect(new Set(notices)).toEqual(new Set([true, false]));
  });
});

test("a notice never makes a view too long that was reported as shorter than we count it", async () => {
  const configuration = { thresholds: { global: 100 }, monitoring: { budgetNotice: true } };
  for (let words = 600; words <= 1_100; words += 10) {
    const session = await createEngine({ ...LIMITS, configuration }).session("a");
    for (const share of [1, 1, 0.8]) {
      await session.append({ role: "user", content: "quiet ".repeat(180) }, { role: "assistant", content: "Yes." });
      await session.append({ role: "user", content: "Go on." });
      const { report } = await session.prepare();
      session.observe({ inputTokens: Math.round(share * report.promptTokens), outputTokens: 1 });
      await session.append({ role: "assistant", content: "Done." });
    }
    await session.append({ role: "user", content: "quiet ".repeat(words) });
    const { report: later } = await session.prepare();
    expect(later.promptTokens).toBeLessThanOrEqual(later.allowedTokens);
  }
});

test("what was sent without a notice is sent without it again, also when a report says that the window is fuller", async () => {
  const { session } = await prepared(0, { global: 100 });
  for (let step = 0; step < 10; step++) {
    await session.append({ role: "assistant", content: "Yes." }, { role: "user", content: "quiet ".repeat(20) });
    const { messages, report } = await session.prepare();
    session.observe({ inputTokens: report.promptTokens + 30, outputTokens: 1 });
    expect((await session.prepare()).messages).toEqual(messages);
  }
});
