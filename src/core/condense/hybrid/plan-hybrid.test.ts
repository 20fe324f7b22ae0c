import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, result, tag, user } from "../../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import { restoreMessages } from "../../history/restore.ts";
import { effectiveView } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { messageTexts } from "../../text/message-texts.ts";
import { countContentTokens } from "../../tokens/count-content.ts";
import { countMessagesTokens } from "../../tokens/count-messages.ts";
import { applyCondensation } from "../condensation-plan.ts";
import { planLedger } from "../ledger/plan-ledger.ts";
import { HYBRID_OPENING, hybridSummaryOf, ledgerBeside } from "./hybrid-text.ts";
import { planHybrid, writeHybrid } from "./plan-hybrid.ts";

const COUNT = { countTokens: countContentTokens };

/** A coding session in which each file is read once, and one rule is given. */
function work(turns: number, start = 0): readonly Message[] {
  const steps = Array.from({ length: turns }, (_, step): readonly Message[] => {
    const at = start + step;
    const lines = Array.from({ length: 30 }, (_, line) => `export const rate_${at}_${line} = compute(${line});`);
    const name = `t${at}`;
    return [
      assistant(`Reading module_${at}.ts.`, call(name, "read_file", { path: `src/module_${at}.ts` })),
      user(result(name, lines.join("\n"))),
    ];
  });
  return [user(`Task ${start}: add up the rates. Never touch src/billing.ts.`), ...steps.flat()];
}

function hybrid(messages: readonly Message[], reply: string, budgetTokens = 6_000) {
  const plan = planHybrid(messages, { budgetTokens, ...COUNT });
  if (plan.type === "refused") throw new Error(plan.error);
  const { summary, standIn } = writeHybrid(messages, plan, { reply, ...COUNT });
  return { plan, summary, standIn, condensed: applyCondensation(messages, plan, [standIn]) };
}

const REPLY = "## State\nThe rates of module_3 are done; the others are not begun (inferred).";

test("one message holds the summary of the model, then the lines of a ledger, then the notice", () => {
  const { standIn, summary, condensed, plan } = hybrid(work(40), REPLY);
  expect(summary).toBe(REPLY);
  expect(hybridSummaryOf(standIn)).toBe(REPLY);
  const texts = [...messageTexts([standIn])];
  expect(texts).toHaveLength(3);
  expect(texts[0]?.startsWith(HYBRID_OPENING)).toBe(true);
  expect(texts[1]).toMatch(/^Ledger of the earlier conversation/);
  expect(texts[1]).toMatch(/export const rate_3\d_/);
  expect(texts[2]).toContain(`fold ${plan.condenseId}]`);
  expect(countMessagesTokens(effectiveView(condensed))).toBeLessThanOrEqual(6_000);
  expect(restoreMessages(condensed, plan.condenseId)).toEqual(work(40));
});

test("is recognised in a log from before its opening said that later messages are newer", () => {
  const { standIn } = hybrid(work(40), REPLY);
  const stored = JSON.parse(JSON.stringify(standIn).replace(/ The messages after it are newer:[^.]*\./, ""));
  expect(stored).not.toEqual(standIn);
  expect(hybridSummaryOf(stored)).toBe(REPLY);
  expect(hybridSummaryOf({ ...stored, content: "Summary of the earlier conversation, by hand" })).toBeUndefined();
});

test("hides what a ledger of the same budget would", () => {
  const ledger = planLedger(work(40), { budgetTokens: 6_000, ...COUNT });
  expect(hybrid(work(40), REPLY).plan.hidden).toEqual(ledger.type === "condense" ? ledger.hidden : []);
});

test("the ledger does not repeat a line that the summary quotes", () => {
  const line = /export const rate_.+/.exec(ledgerBeside(hybrid(work(40), REPLY, 3_000).standIn))?.[0] ?? "";
  expect(line).toMatch(/compute/);
  expect(ledgerBeside(hybrid(work(40), `## State\n${line}`, 3_000).standIn)).not.toContain(line);
});

test("places that the model lists are quoted beside its summary, and the list is not shown", () => {
  const { summary, standIn } = hybrid(
    work(40),
    `${REPLY}\n\n## Needed\n- \`src/module_3.ts: rate_3_7, rate_3_8\``,
    3_000,
  );
  expect(summary).toBe(REPLY);
  expect(ledgerBeside(hybrid(work(40), REPLY, 3_000).standIn)).not.toContain("rate_3_7 ");
  expect(ledgerBeside(standIn)).toContain("rate_3_7 = compute(7);\nexport const rate_3_8 = compute(8);");
  expect([...messageTexts([standIn])].join("\n")).not.toContain("## Needed");
});

test("a summary longer than planned is cut in its middle, and the view still fits", () => {
  const long = `FIRST ${"the work goes on and on ".repeat(2_000)} LAST`;
  const { plan, summary, condensed } = hybrid(work(40), long);
  expect(countContentTokens(summary)).toBeLessThanOrEqual(plan.summaryTokens);
  expect(summary).toMatch(/^FIRST .+\n\[… shortened …\]\n.+ LAST$/);
  expect(countMessagesTokens(effectiveView(condensed))).toBeLessThanOrEqual(6_000);
});

test("the summary takes at most 2,500 tokens, and at most four tenths of the room", () => {
  expect(hybrid(work(60), REPLY, 14_000).plan.summaryTokens).toBe(2_500);
  const { summaryTokens, roomTokens } = hybrid(work(40), REPLY, 3_000).plan;
  expect(summaryTokens).toBe(Math.floor(0.4 * roomTokens));
});

test("where there is no room for a summary, none is asked for", () => {
  expect(hybrid(work(40), REPLY, 2_000).plan.summaryTokens).toBeGreaterThanOrEqual(400);
  const plan = planHybrid(work(40), { budgetTokens: 400, ...COUNT });
  expect(plan).toMatchObject({ type: "refused", error: expect.stringContaining("room for a summary") });
});

test("quotes that nobody said lose their marks", () => {
  const { summary } = hybrid(work(40), 'The person: "Never touch src/billing.ts" and "always use tabs".');
  expect(summary).toBe('The person: "Never touch src/billing.ts" and always use tabs.');
});

describe("the next one", () => {
  const first = hybrid(work(40), REPLY);
  const longer = [...first.condensed, ...work(6, 100)];

  test("is given what the model wrote, and not the lines beside it", () => {
    expect(hybrid(longer, "## State\nAll done.").plan.earlierSummary).toBe(REPLY);
    expect([...messageTexts(first.plan.toSummarize)].join("\n")).toContain("rate_0_0");
    expect([...messageTexts(hybrid(longer, REPLY).plan.toSummarize)].join("\n")).not.toContain("rate_0_0");
  });

  test("quotes lines that the first one hides, but not the summary that it takes over", () => {
    const second = hybrid(longer, "## State\nAll done.");
    expect(ledgerBeside(second.standIn)).not.toContain("the others are not begun");
    expect(ledgerBeside(second.standIn)).toMatch(/export const rate_3\d_/);
  });

  test("takes over a summary without an id, as Roo Code wrote them, and does not quote it", () => {
    const said = "export const rate_of_module_99 = compute(99);";
    const [task, ...rest] = work(40);
    const summary = tag(assistant(said), { isSummary: true });
    const { plan, standIn } = hybrid([...(task === undefined ? [] : [task]), summary, ...rest], REPLY);
    expect(plan.earlierSummary).toBe(said);
    expect([...messageTexts(plan.toSummarize)].join("\n")).not.toContain(said);
    expect(ledgerBeside(standIn)).not.toContain(said);
  });

  test("is a ledger that quotes the newest summary where no model can be asked", () => {
    const second = hybrid(longer, "## State\nThe newest word on the rates.");
    const plan = planLedger([...second.condensed, ...work(20, 200)], { budgetTokens: 6_000, ...COUNT });
    const text = plan.type === "condense" ? plan.ledger.text : "";
    expect(text).toContain("The newest word on the rates.");
    expect(text).not.toContain("the others are not begun");
    expect(text.match(/Ledger of the earlier conversation/g)).toHaveLength(1);
    expect(text).not.toContain(HYBRID_OPENING);
  });
});

const NEEDED_LISTS = [
  "src/module_1.ts: 1-30\nmodule_2.ts: rate_2_3",
  "compute\n".repeat(40),
  "rate_0_0, rate_7_29",
  ": 9-1, ,",
];

test("whatever a model replies, the view fits its budget and nothing is lost", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "grapheme", maxLength: 400 }), fc.constant("word ".repeat(4_000))),
      fc.oneof(fc.constant(""), fc.string({ unit: "grapheme", maxLength: 100 }), fc.constantFrom(...NEEDED_LISTS)),
      fc.integer({ min: 1_200, max: 3_000 }),
      (reply, list, budgetTokens) => {
        const messages = work(8);
        const { condensed, plan } = hybrid(messages, `## State ${reply}\n## Needed\n${list}`, budgetTokens);
        expect(countMessagesTokens(effectiveView(condensed))).toBeLessThanOrEqual(budgetTokens);
        expect(restoreMessages(condensed, plan.condenseId)).toEqual(messages);
      },
    ),
    PROPERTY_RUNS,
  );
});
