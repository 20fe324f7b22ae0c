import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTurns, conversationPlan } from "../../../../test/properties/conversations.ts";
import { logBreaches, smallestViewTokens } from "../../../../test/properties/promises.ts";
import { assistant, call, log, result, user } from "../../../../test/support/messages.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { effectiveView } from "../../message/effective-view.ts";
import { isKnownBlock, type Message } from "../../message/message.ts";
import { wellFormed } from "../../text/well-formed.ts";
import { countMessagesTokens } from "../../tokens/count-messages.ts";
import { compact } from "./compact.ts";
import { LEDGER_OPENING } from "./ledger-text.ts";
import { findByNumber } from "./message-number.ts";
import { sourceBlocks } from "./source-lines.ts";

const RUNS = propertyRuns(150);
const budget = fc.integer({ min: 150, max: 3_000 });

function logOf(plan: Parameters<typeof buildTurns>[0]): readonly Message[] {
  return buildTurns(plan);
}

function ledgerText(messages: readonly Message[]): string | undefined {
  const texts = effectiveView(messages).flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((block) => (isKnownBlock(block) && block.type === "text" ? [block.text] : [])),
  );
  return texts.find((text) => text.startsWith(LEDGER_OPENING));
}

/** The quoted lines that are no line of the message whose number stands above them, and what headings quote of no message. */
function misquoted(messages: readonly Message[], text: string): readonly string[] {
  const all = new Set(messages.flatMap((each) => sourceBlocks(each).flatMap(({ lines }) => lines.map(trimmed))));
  let allowed: ReadonlySet<string> | undefined;
  return text.split("\n").flatMap((line) => {
    const number = /^\[(m\d+)[ \]]/.exec(line)?.[1];
    if (number !== undefined) {
      const message = findByNumber(messages, number);
      const blocks = message === undefined ? [] : sourceBlocks(message);
      allowed = new Set(blocks.flatMap(({ lines }) => lines.map((each) => wellFormed(each.text))));
      return line.endsWith("]") || [...line.matchAll(/\] /g)].some(({ index }) => all.has(line.slice(index + 2)))
        ? []
        : [line];
    }
    if (MARK.test(line)) return [];
    return allowed === undefined || allowed.has(line) || allowed.has(line.replace(/^\d+:/, "")) ? [] : [line];
  });
}

/** Where lines are left out. */
const MARK = /^…(?: \d+ more like this)?$/;

function trimmed({ text }: { readonly text: string }): string {
  return wellFormed(text.trim());
}

describe("compacting to a budget", () => {
  test("is never over it where a smaller view is possible, loses nothing and stays valid", () => {
    fc.assert(
      fc.property(conversationPlan, budget, (plan, budgetTokens) => {
        const original = logOf(plan);
        const { type, messages, tokens } = compact(original, budgetTokens);
        expect(tokens).toBe(countMessagesTokens(effectiveView(messages)));
        expect(logBreaches(messages, original)).toEqual([]);
        if (type !== "cannot-fit") expect(tokens).toBeLessThanOrEqual(budgetTokens);
        else expect(budgetTokens).toBeLessThan(smallestViewTokens(original));
      }),
      RUNS,
    );
  });

  test("quotes lines of the messages that it names, and only those", () => {
    fc.assert(
      fc.property(conversationPlan, budget, (plan, budgetTokens) => {
        const { messages } = compact(logOf(plan), budgetTokens);
        const text = ledgerText(messages);
        // A clip cuts a ledger that must give way to what a person marked.
        const isWhole = text !== undefined && !text.includes("hidden in fold");
        expect(isWhole ? misquoted(messages, text) : []).toEqual([]);
      }),
      RUNS,
    );
  });

  test("gives the same bytes for the same log", () => {
    fc.assert(
      fc.property(conversationPlan, budget, (plan, budgetTokens) => {
        const original = logOf(plan);
        expect(compact(structuredClone(original), budgetTokens)).toEqual(compact(original, budgetTokens));
      }),
      RUNS,
    );
  });

  test("holds all that again when more is said and compacted", () => {
    fc.assert(
      fc.property(conversationPlan, conversationPlan, budget, (plan, more, budgetTokens) => {
        const earlier = logOf(plan);
        const added = buildTurns({ ...more, labels: plan.labels }, plan.turns.length);
        const first = compact(earlier, budgetTokens);
        const { messages } = compact([...first.messages, ...added], budgetTokens);
        expect(logBreaches(messages, [...earlier, ...added])).toEqual([]);
      }),
      RUNS,
    );
  });
});

function reading(index: number, lines: number, file = `src/f${index}.ts`): readonly Message[] {
  const body = Array.from({ length: lines }, (_, line) => `  const value${index}_${line} = make(${line});`).join("\n");
  return [assistant(call(`c${index}`, "Read", { file_path: file })), user(result(`c${index}`, body))];
}

describe("the ladder", () => {
  test("leaves a log that fits as it is", () => {
    const small = log(user("hi"), assistant("hello"));
    expect(compact(small, 1_000)).toMatchObject({ type: "unchanged", messages: small, foldIds: [] });
  });

  test("takes pointers to repeated reads for enough where they are", () => {
    const body = "same line of a file\n".repeat(300);
    const twice = ["a", "b"].flatMap((id) => [assistant(call(id, "Read", { path: "a.ts" })), user(result(id, body))]);
    const { foldIds } = compact(log(user("go"), ...twice, assistant("ok")), 2_500);
    expect(foldIds.map((id) => id.split("-")[0])).toEqual(["dedupe"]);
  });

  test("quotes old results rather than clear them to almost nothing", () => {
    const many = log(user("go"), ...Array.from({ length: 30 }, (_, index) => reading(index, 40)).flat());
    const { tokens, foldIds, messages } = compact(many, 8_000);
    expect(foldIds.map((id) => id.split("-")[0])).toEqual(["condense"]);
    expect(tokens).toBeGreaterThan(0.9 * 8_000);
    expect(ledgerText(messages)).toBeDefined();
  });

  test("quotes old results also where clearing them would leave the budget nearly full", () => {
    const results = Array.from({ length: 9 }, (_, index) => {
      const lines = index < 6 ? 40 : 180;
      return reading(index, lines);
    });
    const asked = [assistant("Next I change value2_7 in src/f2.ts."), user("yes")];
    const { foldIds, messages, tokens } = compact(log(user("go"), ...results.flat(), ...asked), 6_800);
    expect(foldIds.map((id) => id.split("-")[0])).toEqual(["condense"]);
    expect(tokens).toBeLessThanOrEqual(6_800);
    expect(ledgerText(messages)).toContain("const value2_7 = make(7);");
  });

  test("leaves room for a ledger where an agent told its instructions again and they have to be clipped", () => {
    const rules = Array.from({ length: 300 }, (_, line) => `Rule ${line}: keep each berth as it was found.`).join("\n");
    const told = user(`# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\n${rules}\n</INSTRUCTIONS>`);
    const readings = Array.from({ length: 12 }, (_, index) => reading(index, 40)).flat();
    const { messages, tokens } = compact(log(told, user("go"), ...readings, told, user("go on"), ...readings), 4_000);
    expect(tokens).toBeLessThanOrEqual(4_000);
    expect(JSON.stringify(effectiveView(messages)).split("AGENTS.md instructions").length - 1).toBe(1);
    expect(countMessagesTokens([user(ledgerText(messages) ?? "")])).toBeGreaterThan(1_200);
  });

  test("clips a newest result that is larger than its share, and quotes what the clip hides", () => {
    const huge = log(user("go"), ...reading(0, 5), ...reading(1, 3_000));
    const { type, tokens, messages } = compact(huge, 4_000);
    expect(type).toBe("folded");
    expect(tokens).toBeLessThanOrEqual(4_000);
    expect(ledgerText(messages)).toMatch(/value1_\d+ = make/);
  });

  test("survives logs that are hostile", () => {
    const cyclic: Record<string, unknown> = { path: "a.ts" };
    cyclic.self = cyclic;
    const hostile = [
      user("\ud800 lone \u0000"),
      assistant(call("c1", "Edit", cyclic), call("c1", "\n[m0 user]", "x".repeat(300_000))),
      user(result("c1", "y ".repeat(400_000)), result("c1", "twice"), result("nobody", "orphan")),
      assistant("z".repeat(200_000)),
    ];
    const { tokens, messages } = compact(hostile, 2_000);
    expect(tokens).toBe(countMessagesTokens(effectiveView(messages)));
    expect(tokens).toBeLessThanOrEqual(2_000);
    expect(compact([], 100).type).toBe("unchanged");
    expect(() => compact(hostile, Number.NaN)).toThrow(/budgetTokens is NaN/);
  });
});
