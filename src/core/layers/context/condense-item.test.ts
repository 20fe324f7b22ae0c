import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../../test/support/layered-states.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { countContentTokens } from "../../tokens/count-content.ts";
import { condenseItem } from "./condense-item.ts";
import { type ContextItem, itemTokens } from "./context-item.ts";
import { XML_SYNTAX } from "./context-syntax.ts";

const rendering = { syntax: XML_SYNTAX, countTokens: countContentTokens };
const item = (text: string): ContextItem => ({ tag: "draft", attributes: { title: "notes" }, text, priority: "low" });
const condense = (text: string, budgetTokens: number) => condenseItem(item(text), { budgetTokens, ...rendering });

describe("a text that is too long", () => {
  const lines = Array.from({ length: 200 }, (_, index) => `step ${index}: see src/part${index}/file.ts`);

  test("is shown by whole lines, in order, and says how much is left out", () => {
    const condensed = condense(lines.join("\n"), 300);
    const shown = condensed?.text.split("\n") ?? [];
    expect(shown.length).toBeGreaterThan(10);
    expect(lines.filter((line) => shown.includes(line))).toEqual(shown);
    expect(shown[0]).toBe(lines[0]);
    const leftOut = countContentTokens(lines.join("\n")) - countContentTokens(condensed?.text ?? "");
    expect(condensed?.attributes).toEqual({ title: "notes", "left-out-tokens": leftOut });
    expect(condensed === undefined ? 0 : itemTokens(condensed, rendering)).toBeGreaterThan(250);
  });

  test("keeps the lines that name things before those that do not", () => {
    const text = [
      ...Array.from({ length: 50 }, (_, index) => `well, so it goes on and on, again and again ${index}`),
      "see src/auth/tokenStore.ts and getUserName()",
    ];
    expect(condense(text.toSorted().join("\n"), 60)?.text).toContain("src/auth/tokenStore.ts");
  });

  test("of one line is shown by the words it begins with", () => {
    const text = Array.from({ length: 90 }, (_, index) => `word${index}`).join(" ");
    const shown = condense(text, 60)?.text ?? "";
    expect(shown.split(" ").length).toBeGreaterThan(5);
    expect(text.startsWith(`${shown} `)).toBe(true);
  });

  test("in a script without blanks is cut between characters", () => {
    const text = "请把配置文件移动到新的目录然后运行所有的测试".repeat(20);
    const shown = condense(text, 60)?.text ?? "";
    expect(shown.length).toBeGreaterThan(10);
    expect(text).toContain(shown);
  });

  test("that cannot be cut, or for which there is no room, is not shown", () => {
    expect(condense("x".repeat(5_000), 100)).toBeUndefined();
    expect(condense(lines.join("\n"), 31)).toBeUndefined();
    expect(condense(lines.join("\n"), -5)).toBeUndefined();
  });

  test("escaped text is counted as it is written", () => {
    const condensed = condense(
      Array.from({ length: 100 }, (_, index) => `if (a<b && c<d) { <${index}> & "<" }`).join("\n"),
      200,
    );
    expect(condensed).toBeDefined();
    if (condensed !== undefined) expect(itemTokens(condensed, rendering)).toBeLessThanOrEqual(200);
  });
});

test("any text, cut to any budget, fits it and holds nothing but whole words of the text", () => {
  const spaced = anyText.map((text) => text.replace(/[\u2e80-\uffef]/g, "x"));
  fc.assert(
    fc.property(fc.array(spaced, { maxLength: 30 }), fc.integer({ min: 0, max: 400 }), (parts, budgetTokens) => {
      const text = parts.join("\n");
      const condensed = condense(text, budgetTokens);
      if (condensed === undefined) return;
      expect(itemTokens(condensed, rendering)).toBeLessThanOrEqual(budgetTokens);
      const words = new Set(text.split(/\s+|[\u0085]/));
      for (const word of condensed.text.split(/\s+/)) expect(word === "" || words.has(word)).toBe(true);
    }),
    propertyRuns(300),
  );
});
