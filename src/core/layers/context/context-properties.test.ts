import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { anyState, NOW } from "../../../../test/support/layered-states.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import type { CountTokens } from "../../message/message.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { usableTokens } from "../budget/allocate-budget.ts";
import type { LayeredState } from "../layered-state.ts";
import { readState, serializeState } from "../state/serialize-state.ts";
import { type BuiltContext, ContextBuilder } from "./context-builder.ts";

const RUNS = propertyRuns(100);
const budgets = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 30_000 }));

function build(state: LayeredState, totalTokens: number, countTokens?: CountTokens): BuiltContext | "cannot-fit" {
  try {
    return new ContextBuilder({ totalTokens, now: () => NOW, countTokens }).build(state);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "cannot-fit") return "cannot-fit";
    throw error;
  }
}

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  htmlEntities: true,
  preserveOrder: true,
  processEntities: { enabled: true, maxTotalExpansions: 1e9, maxExpandedLength: 1e9 },
});

interface ShownElement {
  readonly tag: string;
  readonly text: string;
  readonly isWhole: boolean;
}

/** All elements that hold a text, as a reader of XML sees them. */
function elementsOf(context: string): readonly ShownElement[] {
  const found: ShownElement[] = [];
  const visit = (nodes: unknown): void => {
    if (!Array.isArray(nodes)) return;
    for (const { ":@": attributes, ...node } of nodes) {
      for (const [tag, children] of Object.entries(node)) {
        found.push({ tag, text: textOf(children), isWhole: attributes?.["@_left-out-tokens"] === undefined });
        visit(children);
      }
    }
  };
  visit(parser.parse(context));
  return found;
}

function textsOf(context: string, tag: string): readonly string[] {
  return elementsOf(context).flatMap((element) => (element.tag === tag ? [element.text] : []));
}

function textOf(children: unknown): string {
  return Array.isArray(children) ? children.map((child) => String(child["#text"] ?? "")).join("") : "";
}

/** What the elements of a name may say. */
function sourcesOf({
  l2_runtime,
  l3_memory,
  l4_evidence,
  l5_workBuffer,
}: LayeredState): Readonly<Record<string, readonly string[]>> {
  const { semantic, procedural, episodic } = l3_memory;
  const contents = (entries: readonly { readonly content: string }[]) => entries.map(({ content }) => sayable(content));
  const lines = (...texts: readonly (string | undefined)[]) =>
    sayable(texts.filter((text) => text !== undefined && text !== "").join("\n"));
  return {
    "criterion-check": (l2_runtime.criteria ?? []).map(({ description, reason = "" }) =>
      sayable(reason === "" ? description : `${description}: ${reason}`),
    ),
    variable: Object.values(l3_memory.workingVariables ?? {}).map((value) => sayable(String(value))),
    error: l2_runtime.failures.map(({ error }) => sayable(error)),
    entry: contents(l3_memory.shortTerm),
    summary: contents(episodic),
    decision: contents(episodic),
    milestone: contents(episodic),
    fact: contents(semantic.facts),
    definition: semantic.definitions.map(({ meaning }) => sayable(meaning)),
    knowledge: contents(semantic.projectKnowledge),
    skill: procedural.skills.map(({ description, content, steps = [] }) =>
      lines(description, content, ...steps.map((step, index) => `${index + 1}. ${step}`)),
    ),
    template: contents(procedural.templates),
    checklist: procedural.checklists.map(({ content, items = [] }) =>
      lines(content, ...items.map(({ text, isDone }) => `[${isDone ? "x" : " "}] ${text}`)),
    ),
    procedure: contents(procedural.procedures),
    preference: semantic.preferences.map(({ value }) => sayable(value)),
    observation: contents(l4_evidence.observations),
    retrieval: contents(l4_evidence.retrievals),
    citation: l4_evidence.citations.map(({ quote }) => sayable(quote)),
    step: l5_workBuffer.plan.map(({ description }) => sayable(description)),
    change: l5_workBuffer.changes.map(({ description }) => sayable(description)),
    hypothesis: l5_workBuffer.hypotheses.map(({ statement }) => sayable(statement)),
    draft: contents(l5_workBuffer.drafts),
    scratchpad: [sayable(l5_workBuffer.scratchpad)],
  };
}

/** What XML can say of a text. */
function sayable(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const isForbidden =
      (code < 0x20 && !"\t\n\r".includes(character)) ||
      (code >= 0xd800 && code <= 0xdfff) ||
      code === 0xfffe ||
      code === 0xffff;
    return isForbidden ? "\ufffd" : character;
  }).join("");
}

describe("a context of any state in any budget", () => {
  test("is within nine tenths of it, and says how large it is", () => {
    fc.assert(
      fc.property(anyState, budgets, (state, totalTokens) => {
        const built = build(state, totalTokens);
        if (built === "cannot-fit") return;
        const { context, metadata } = built;
        expect(metadata.totalTokens).toBe(countTextTokens(context));
        expect(metadata.totalTokens).toBeLessThanOrEqual(usableTokens(totalTokens));
        for (const { tokens, budgetTokens } of metadata.layers) expect(tokens).toBeLessThanOrEqual(budgetTokens);
        const frame = countTextTokens("<context>\n") + countTextTokens("</context>\n");
        expect(metadata.layers.reduce((sum, { tokens }) => sum + tokens, frame)).toBe(metadata.totalTokens);
        expect(metadata.compressionRatio).toBeGreaterThan(0);
        expect(metadata.compressionRatio).toBeLessThanOrEqual(1);
      }),
      RUNS,
    );
  });

  test("is well-formed, whatever the texts hold", () => {
    fc.assert(
      fc.property(anyState, budgets, (state, totalTokens) => {
        const built = build(state, totalTokens);
        if (built === "cannot-fit") return;
        expect(XMLValidator.validate(built.context)).toBe(true);
        expect(built.context).toBe(sayable(built.context));
        expect(built.context).not.toContain("]]>");
        expect(built.context).not.toContain("\r");
      }),
      RUNS,
    );
  });

  test("holds the system and the task whole, word for word", () => {
    fc.assert(
      fc.property(anyState, budgets, (state, totalTokens) => {
        const built = build(state, totalTokens);
        if (built === "cannot-fit") return;
        const { role, policies } = state.l0_system;
        const { goal, successCriteria, metadata } = state.l1_task;
        const shown = (texts: readonly string[]) => texts.filter((text) => text !== "").map(sayable);
        const { description, capabilities, limitations } =
          typeof role === "string" ? { description: role, capabilities: [], limitations: [] } : role;
        expect(textsOf(built.context, "role")).toEqual(
          typeof role === "string" ? shown([role]) : [sayable(description)],
        );
        expect(textsOf(built.context, "capability")).toEqual(shown(capabilities));
        expect(textsOf(built.context, "limitation")).toEqual(shown(limitations));
        expect(textsOf(built.context, "goal")).toEqual(shown([goal]));
        expect(textsOf(built.context, "policy")).toHaveLength(policies.length);
        expect(textsOf(built.context, "success-criterion")).toEqual(
          successCriteria.flatMap((each) => (typeof each === "string" ? shown([each]) : [sayable(each.description)])),
        );
        expect(textsOf(built.context, "metadata")).toEqual(
          Object.values(metadata).map((value) => sayable(String(value))),
        );
      }),
      RUNS,
    );
  });

  test("shows every other text word for word, or says what it leaves out", () => {
    fc.assert(
      fc.property(anyState, budgets, (state, totalTokens) => {
        const built = build(state, totalTokens);
        if (built === "cannot-fit") return;
        const sources = sourcesOf(state);
        const elements = elementsOf(built.context).filter(({ tag }) => Object.hasOwn(sources, tag));
        for (const { tag, text, isWhole } of elements) if (isWhole) expect(sources[tag]).toContain(text);
        const { layers, compressionRatio } = built.metadata;
        const omitted = layers.reduce((sum, { omittedItems }) => sum + omittedItems, 0);
        expect(elements.filter(({ isWhole }) => !isWhole)).toHaveLength(
          layers.reduce((sum, { condensedItems }) => sum + condensedItems, 0),
        );
        if (omitted === 0) expect(built.context).not.toContain("<left-out ");
        if (compressionRatio === 1) expect(textsOf(built.context, "step")).toEqual(sources.step);
      }),
      RUNS,
    );
  });

  test("is the same for an equal state", () => {
    fc.assert(
      fc.property(anyState, budgets, (state, totalTokens) => {
        const again = readState(serializeState(state));
        expect(build(again, totalTokens)).toEqual(build(state, totalTokens));
      }),
      RUNS,
    );
  });

  test("exists as soon as the system and the task fit", () => {
    fc.assert(
      fc.property(anyState, (state) => {
        let [low, high] = [0, 20_000];
        while (high - low > 1) {
          const middle = (low + high) >> 1;
          if (build(state, middle) === "cannot-fit") low = middle;
          else high = middle;
        }
        const bare = build({ ...state, l2_runtime: { ...state.l2_runtime, failures: [] } }, high);
        expect(bare).not.toBe("cannot-fit");
        for (const more of [high + 1, high + 10, high * 2]) expect(build(state, more)).not.toBe("cannot-fit");
      }),
      propertyRuns(20),
    );
  });

  test("fits by whatever counter is given", () => {
    const length: CountTokens = (content) => (typeof content === "string" ? content.length : 0);
    const counters: readonly CountTokens[] = [
      length,
      (content) => length(content) / 3.7 + 5,
      (content) => length(content) ** 1.2,
      (content) => Math.log2(length(content) + 1) * 50,
    ];
    fc.assert(
      fc.property(
        anyState,
        fc.integer({ min: 0, max: 60_000 }),
        fc.constantFrom(...counters),
        (state, total, counter) => {
          const built = build(state, total, counter);
          if (built === "cannot-fit") return;
          expect(built.metadata.totalTokens).toBe(counter(built.context));
          expect(built.metadata.totalTokens).toBeLessThanOrEqual(usableTokens(total));
          expect(XMLValidator.validate(built.context)).toBe(true);
        },
      ),
      RUNS,
    );
  });
});
