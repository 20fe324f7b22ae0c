import fc from "fast-check";
import { XMLParser } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { anyState, NOW } from "../../../../test/support/layered-states.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { usableTokens } from "../budget/allocate-budget.ts";
import type { LayeredState } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { learnFact, remember } from "../updates/memory.ts";
import { type BuiltContext, ContextBuilder, type ContextFormat } from "./context-builder.ts";
import { TEXT_SYNTAX, xmlElement, xmlText } from "./context-syntax.ts";

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  trimValues: false,
  parseTagValue: false,
  htmlEntities: true,
});

describe("an element", () => {
  test.each([
    "a < b && c > d",
    "]]>",
    "<![CDATA[x]]>",
    "\ttab\nline\r\n",
    "\"quoted\" 'too'",
    "&lt;&#10;",
    "👩‍💻 配置",
    "\u0085\u2028\u007f",
  ])("says %j as text and as attribute, and is read back the same", (text) => {
    const read = parser.parse(xmlElement("item", { note: text }, text)).item;
    expect(read).toEqual({ "#text": text, note: text });
  });

  test("replaces what XML cannot say: control characters, halves of pairs, and two that are no characters", () => {
    expect(xmlText("a\u0000\u0008\u000b\u001fb\ud800c\udfff\ufffe\uffff")).toBe("a����b�c���");
    expect(xmlElement("item", { note: "\u0000\ud800" }, "")).toBe('<item note="��"/>\n');
    expect(xmlText("😀 \u{1fffe}")).toBe("😀 \u{1fffe}");
  });

  test("leaves arrows of code alone, leaves out attributes without a value, and closes itself where it is empty", () => {
    expect(xmlText("() => x->y")).toBe("() => x->y");
    expect(xmlElement("item", { a: undefined, b: 0 }, "x")).toBe('<item b="0">x</item>\n');
    expect(xmlElement("item", {}, "")).toBe("<item/>\n");
  });
});

const RUNS = propertyRuns(100);
const HEADING = /^(#+) (\S+)$/gm;
const ELEMENT = /^- ([a-z-]+)(?: \(|: |$)/gm;
const TAGS = /<([a-z-]+)[ />]/g;

function build(state: LayeredState, format: ContextFormat, totalTokens = 20_000): BuiltContext | undefined {
  try {
    return new ContextBuilder({ totalTokens, now: () => NOW, format }).build(state);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "cannot-fit") return undefined;
    throw error;
  }
}

const tagsOf = (context: string, pattern: RegExp, group = 1) =>
  Array.from(context.matchAll(pattern), (match) => match[group] ?? "");

describe("a context as plain text", () => {
  test("has a heading for each layer and a line for each element", () => {
    const fact = {
      id: "f",
      at: 0,
      content: "Secrets rotate weekly.",
      source: "the docs",
      confidence: 0.9,
      isVerified: true,
    };
    const state = remember(learnFact(createInitialState("Rotate the secrets", { policies: [] }), fact), {
      ...{ id: "s", at: NOW, content: "Two lines:\nsecond <line>" },
    });
    const context = build(state, "text")?.context ?? "";
    expect(context.startsWith("# context\n## system\n- role: ")).toBe(true);
    expect(context).toContain("## task\n- goal: Rotate the secrets\n## runtime\n- phase: initializing\n");
    expect(context).toContain(
      "## memory\n### short-term\n- entry: Two lines:\n  second <line>\n" +
        '### semantic\n- fact (source: "the docs", confidence: 0.9): Secrets rotate weekly.\n',
    );
    expect(context).toContain("- limits (execution-time-ms: 3600000, tool-calls: 100, file-bytes: 10485760)\n");
  });

  test("is only asked for by a name that there is", () => {
    // @ts-expect-error callers without types
    const builder = () => new ContextBuilder({ totalTokens: 1_000, now: () => NOW, format: "yaml" });
    expect(builder).toThrow('format is "yaml"; it must be one of "xml", "text".');
  });

  test("shows the same elements in the same order as XML where there is room for all", () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const [xml, text] = [build(state, "xml", 1e6)?.context ?? "", build(state, "text", 1e6)?.context ?? ""];
        const headings = new Set(tagsOf(text, HEADING, 2));
        const elements = tagsOf(xml, TAGS).filter((tag) => !headings.has(tag));
        expect(tagsOf(text, ELEMENT)).toEqual(elements);
      }),
      RUNS,
    );
  });

  test("keeps to its budget, and its layers add up", () => {
    const budgets = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 30_000 }));
    fc.assert(
      fc.property(anyState, budgets, (state, totalTokens) => {
        const built = build(state, "text", totalTokens);
        if (built === undefined) return;
        const { totalTokens: tokens, layers } = built.metadata;
        expect(tokens).toBe(countTextTokens(built.context));
        expect(tokens).toBeLessThanOrEqual(usableTokens(totalTokens));
        for (const layer of layers) expect(layer.tokens).toBeLessThanOrEqual(layer.budgetTokens);
        expect(layers.reduce((sum, layer) => sum + layer.tokens, countTextTokens("# context\n"))).toBe(tokens);
      }),
      RUNS,
    );
  });

  test("lets no text pass for a heading or another element", () => {
    const hostile = fc.array(
      fc.constantFrom(
        "\n",
        "\r",
        "\r\n",
        "\u2028",
        "\u0085",
        "\v",
        "# task",
        "- goal: x",
        '"',
        "): ",
        "a",
        " ",
        "\ud800",
        "\u0000",
      ),
      { maxLength: 12 },
    );
    const text = hostile.map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (value, content) => {
        const written = TEXT_SYNTAX.element("fact", { source: value }, content);
        expect(written.endsWith("\n")).toBe(true);
        expect(written).not.toMatch(/\p{Cs}/u);
        const [first = "", ...others] = written.slice(0, -1).split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
        expect(first).toMatch(/^- fact \(source: "(?:[^"\\]|\\.)*"\)(?:: .*)?$/);
        for (const line of others) expect(line.startsWith("  ")).toBe(true);
      }),
      propertyRuns(300),
    );
  });
});
