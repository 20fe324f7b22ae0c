import fc from "fast-check";
import type { LayeredState } from "../../src/core/layers/layered-state.ts";
import { createInitialState } from "../../src/core/layers/state/initial-state.ts";

/** When the tests of layered states happen. */
export const NOW = 1_700_000_000_000;

const HOSTILE = [
  "]]>",
  "</context>",
  "</entry><entry>",
  "<![CDATA[",
  "<!-- -->",
  "<?xml?>",
  "&amp;",
  "&#0;",
  '" onload="',
  "\u0000\u0001\u001f",
  "\ud800",
  "\udc00x",
  "\ufffe\uffff",
  "\r\n\r",
  "\u0085\u2028",
  "𝒳👩‍💻",
  "配置文件在哪里。",
  "<|endoftext|>",
  "{{goal}}",
];

const word = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("rotate", "secret", "src/auth/store.ts", "getUserName", "the", "of", "TS2345", "weekly"),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 12, unit: "binary" }) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
);

/** Texts of words, lines and what breaks markup. */
export const anyText = fc
  .array(fc.tuple(word, fc.constantFrom(" ", " ", " ", "\n", "")), { maxLength: 40 })
  .map((parts) => parts.flat().join(""));

const longText = fc
  .tuple(anyText, fc.integer({ min: 1, max: 60 }))
  .map(([text, times]) => Array.from({ length: times }, (_, index) => `${index} ${text}`).join("\n"));

const content = fc.oneof({ weight: 6, arbitrary: anyText }, { weight: 1, arbitrary: longText });
const short = fc.oneof(
  fc.constantFrom("a", "run", "README.md"),
  fc.string({ maxLength: 8 }),
  fc.constantFrom(...HOSTILE),
);
const at = fc.integer({ min: NOW - 120_000, max: NOW + 1_000 });
const ttlMs = fc.constantFrom(0, 30_000, 300_000);
const share = fc.constantFrom(0, 0.2, 0.3, 0.31, 0.8, 1);
const importance = fc.constantFrom(
  "critical" as const,
  "high" as const,
  "medium" as const,
  "low" as const,
  "minimal" as const,
);
export const anyPhase = fc.constantFrom(
  "initializing" as const,
  "planning" as const,
  "executing" as const,
  "reflecting" as const,
  "verifying" as const,
  "completed" as const,
  "failed" as const,
);

const few = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { maxLength: 6 });
const id = short;

const shorts = fc.array(short, { maxLength: 3 });

const episode = fc.oneof(
  fc.record({ type: fc.constant("summary" as const), id, at, content, condensedFrom: shorts, tokenCount: fc.nat() }),
  fc.record({ type: fc.constant("decision" as const), id, at, content, reason: short, alternatives: shorts }),
  fc.record({ type: fc.constant("milestone" as const), id, at, content, importance }),
);
const procedure = { id, name: short, content };
const requiredKeys: ("id" | "name" | "content")[] = ["id", "name", "content"];
const skill = fc.record({ ...procedure, description: anyText, steps: shorts, tools: shorts }, { requiredKeys });
const template = fc.record(
  { ...procedure, variables: few(fc.record({ name: short, default: short })) },
  { requiredKeys },
);
const items = few(fc.record({ id, text: short, isDone: fc.boolean() }));
const checklist = fc.record({ ...procedure, items }, { requiredKeys });
const phased = fc.record({ ...procedure, phases: fc.array(anyPhase, { maxLength: 3 }) }, { requiredKeys });

const memory = fc.record({
  workingVariables: fc.dictionary(short, fc.oneof(short, fc.integer(), fc.boolean()), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  shortTerm: few(fc.record({ id, at, content, ttlMs })),
  episodic: few(episode),
  semantic: fc.record({
    facts: fc.array(fc.record({ id, at, content, source: short, confidence: share, isVerified: fc.boolean() }), {
      maxLength: 14,
    }),
    definitions: few(fc.record({ term: short, meaning: content, context: short, references: shorts })),
    preferences: few(fc.record({ key: short, value: short })),
    projectKnowledge: few(fc.record({ id, topic: short, content })),
  }),
  procedural: fc.record({
    skills: few(skill),
    templates: few(template),
    checklists: few(checklist),
    procedures: few(phased),
  }),
});

const evidence = fc.record({
  observations: few(fc.record({ id, at, source: short, content, ttlMs })),
  retrievals: few(fc.record({ id, at, query: short, source: short, content, relevance: share })),
  citations: few(fc.record({ id, source: short, quote: content })),
  measurements: few(
    fc.record({ at, name: short, value: fc.double({ noNaN: true, noDefaultInfinity: true }), unit: short }),
  ),
});

const workBuffer = fc.record({
  plan: few(
    fc.record({
      id,
      description: content,
      status: fc.constantFrom(
        "pending" as const,
        "in-progress" as const,
        "done" as const,
        "failed" as const,
        "skipped" as const,
      ),
      dependsOn: fc.array(short, { maxLength: 2 }),
    }),
  ),
  changes: few(
    fc.record({
      path: short,
      type: fc.constantFrom("create" as const, "modify" as const, "delete" as const),
      description: content,
      status: fc.constantFrom("planned" as const, "applied" as const, "reverted" as const),
    }),
  ),
  hypotheses: few(
    fc.record({
      id,
      statement: content,
      status: fc.constantFrom("untested" as const, "confirmed" as const, "refuted" as const, "inconclusive" as const),
      evidence: fc.array(short, { maxLength: 2 }),
    }),
  ),
  drafts: few(fc.record({ id, title: short, content })),
  scratchpad: content,
});

const failure = fc.record({ id, at, error: content, toolName: short, isResolved: fc.boolean() });

/** Any state, with texts that try to break out of their places. */
export const anyState: fc.Arbitrary<LayeredState> = fc
  .record({
    goal: fc.tuple(fc.constant("Rotate the secret in src/auth/store.ts"), anyText).map((parts) => parts.join(" ")),
    criteria: few(
      fc.oneof(
        anyText,
        fc.record({ description: anyText, measurable: fc.boolean() }),
        fc.record({
          description: anyText,
          measurable: fc.boolean(),
          validator: fc.record({ tool: short, input: fc.constant({ a: 1 }) }),
        }),
      ),
    ),
    results: few(
      fc.record({
        description: anyText,
        status: fc.constantFrom("met" as const, "unmet" as const, "unchecked" as const),
        reason: content,
      }),
    ),
    metadata: fc.dictionary(short, anyText, { maxKeys: 3, noNullPrototype: true }),
    role: fc.oneof(
      anyText,
      fc.record({ name: short, description: anyText, capabilities: few(anyText), limitations: few(anyText) }),
    ),
    phase: anyPhase,
    failures: few(failure),
    memory,
    evidence,
    workBuffer,
  })
  .map(({ goal, criteria, results, metadata, role, phase, failures, ...layers }) => {
    const state = createInitialState({ goal, successCriteria: criteria, metadata }, { role });
    return {
      ...state,
      l2_runtime: { ...state.l2_runtime, phase, failures, criteria: results },
      l3_memory: layers.memory,
      l4_evidence: layers.evidence,
      l5_workBuffer: layers.workBuffer,
    };
  });
