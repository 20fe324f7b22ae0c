import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import { findCandidates, type LogCandidates } from "./find-candidates.ts";
import { judgeLog } from "./judge-log.ts";
import { type Candidate, createPacker, type PackedLines } from "./pack-lines.ts";
import { runsOf } from "./runs.ts";

function candidate(text: string, fields: Partial<Candidate> & { readonly tokens?: number } = {}): Candidate {
  const { tokens = 10, identifiers = [], value = 0, group = 0 } = fields;
  return {
    line: { text, key: text, code: text, tokens, identifiers, isBare: false },
    identifiers,
    value,
    group,
    index: 0,
  };
}

function pack(candidates: readonly Candidate[], budgetTokens: number, weights: Readonly<Record<string, number>> = {}) {
  const options = { weights: new Map(Object.entries(weights)), seen: new Set(["seen"]) };
  const { chosen } = createPacker(candidates, { ...options, headingTokens: () => 5 })(budgetTokens);
  return candidates.filter((each) => chosen.has(each)).map(({ line }) => line.text);
}

describe("packing lines", () => {
  test("takes what is worth most for its tokens, and pays for each heading once", () => {
    const lines = [candidate("a", { value: 1 }), candidate("b", { value: 3 }), candidate("c", { value: 2, group: 1 })];
    expect(pack(lines, 24)).toEqual(["b"]);
    expect(pack(lines, 25)).toEqual(["a", "b"]);
    expect(pack(lines, 40)).toEqual(["a", "b", "c"]);
  });

  test("counts an identifier once, and not at all where it can be seen anyway", () => {
    const lines = [
      candidate("both", { identifiers: ["x", "y"] }),
      candidate("again", { identifiers: ["x"], tokens: 9 }),
      candidate("other", { identifiers: ["z"] }),
      candidate("seen", { identifiers: ["seen"] }),
    ];
    expect(pack(lines, 25, { x: 0.5, y: 0.5, z: 0.3, seen: 1 })).toEqual(["both", "other"]);
  });

  test("fills what is left with smaller lines", () => {
    const lines = [candidate("large", { tokens: 100, value: 100 }), candidate("small", { value: 0.1 })];
    expect(pack(lines, 50)).toEqual(["small"]);
  });

  test("agrees with trying every line again after each choice", () => {
    const lines = Array.from({ length: 60 }, (_, index) =>
      candidate(`l${index}`, {
        tokens: 5 + ((index * 7) % 11),
        value: ((index * 13) % 5) / 10,
        identifiers: [`i${index % 17}`, `j${(index * 3) % 13}`],
        group: index % 4,
      }),
    );
    const weights = Object.fromEntries(
      Array.from({ length: 17 }, (_, index) => [
        [`i${index}`, (index % 6) / 7],
        [`j${index}`, (index % 5) / 9],
      ]).flat(),
    );
    expect(pack(lines, 150, weights)).toEqual(packEagerly(lines, 150, weights));
  });
});

describe("packing for one budget after another", () => {
  const words = fc.constantFrom(
    "openStore",
    "src/a.ts",
    "src/b.ts",
    "the",
    "closeStore()",
    "E4711",
    "}",
    "return",
    "x",
  );
  const line = fc.array(words, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(" "));
  const read = fc.record({ path: fc.constantFrom("src/a.ts", "src/b.ts"), lines: fc.array(line, { maxLength: 40 }) });
  const reads = fc.array(read, { minLength: 1, maxLength: 12 });
  const budgets = fc.array(fc.oneof(fc.integer({ min: 0, max: 900 }), fc.double({ min: 0, max: 900, noNaN: true })), {
    minLength: 2,
    maxLength: 6,
  });
  // Most budgets that are tried after each other are nearly the same.
  const nearBudgets = fc
    .tuple(
      fc.integer({ min: 20, max: 900 }),
      fc.array(fc.integer({ min: -12, max: 12 }), { minLength: 1, maxLength: 6 }),
    )
    .map(([first, steps]) => [first, ...steps.map((step) => first + step)]);

  test("chooses and shows what a packer chooses that was asked for nothing else", () => {
    fc.assert(
      fc.property(reads, fc.oneof(budgets, nearBudgets), (files, rooms) => {
        const found = candidatesOf(files);
        const pack = packerOf(found);
        for (const room of rooms) expect(linesOf(pack(room), found)).toEqual(linesOf(packerOf(found)(room), found));
      }),
      PROPERTY_RUNS,
    );
  });

  test("returns the very same choice where a budget makes no difference", () => {
    const lines = [candidate("a", { value: 2 }), candidate("b", { value: 1, tokens: 50 })];
    const pack = createPacker(lines, { weights: new Map(), seen: new Set(), headingTokens: () => 5 });
    expect(pack(40)).toBe(pack(41));
    expect(pack(14).chosen.size).toBe(0);
    expect(pack(65).chosen.size).toBe(2);
    expect(pack(40).chosen.size).toBe(1);
  });
});

interface FileRead {
  readonly path: string;
  readonly lines: readonly string[];
}

function candidatesOf(files: readonly FileRead[]): LogCandidates {
  const messages = files.flatMap(({ path, lines }, index) => [
    assistant(call(`c${index}`, "Read", { file_path: path })),
    user(result(`c${index}`, lines.join("\n"))),
  ]);
  return findCandidates(judgeLog([user("Mend openStore in src/a.ts."), ...messages]), []);
}

function packerOf(found: LogCandidates): (room: number) => PackedLines {
  return createPacker(found.candidates, { ...found, runs: runsOf(found) });
}

/** The texts that were chosen, in order, and the places that are shown in each block. */
function linesOf({ chosen, runs }: PackedLines, { blocks }: LogCandidates) {
  return { chosen: [...chosen].map(({ line: { text } }) => text), shown: blocks.map((_, at) => runs?.shownIn(at)) };
}

function packEagerly(lines: readonly Candidate[], budget: number, weights: Readonly<Record<string, number>>) {
  const named = new Set<string>();
  const headed = new Set<number>();
  const chosen = new Set<Candidate>();
  let left = budget;
  const cost = ({ line, group }: Candidate) => line.tokens + (headed.has(group) ? 0 : 5);
  const worth = (each: Candidate) =>
    (each.value + each.identifiers.reduce((sum, name) => sum + (named.has(name) ? 0 : (weights[name] ?? 0)), 0)) /
    (each.line.tokens + 3);
  for (;;) {
    const fitting = lines.filter((each) => !chosen.has(each) && cost(each) <= left);
    const best = fitting.toSorted((one, other) => worth(other) - worth(one))[0];
    if (best === undefined) return lines.filter((each) => chosen.has(each)).map(({ line }) => line.text);
    left -= cost(best);
    headed.add(best.group);
    chosen.add(best);
    for (const name of best.identifiers) named.add(name);
  }
}
