import { describe, expect, test } from "vitest";
import { type Candidate, packLines } from "./pack-lines.ts";

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
  const options = { budgetTokens, weights: new Map(Object.entries(weights)), seen: new Set(["seen"]) };
  const chosen = packLines(candidates, { ...options, headingTokens: () => 5 });
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
