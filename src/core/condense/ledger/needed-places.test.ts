import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import type { NeededPlace } from "./needed-places.ts";
import { writeLedger } from "./write-ledger.ts";

/** A session that read many files with numbered lines, long ago, and then did something else. */
function log(): readonly Message[] {
  const reads = Array.from({ length: 30 }, (_, file): readonly Message[] => {
    const lines = Array.from({ length: 40 }, (_, at) => {
      if (at % 10 === 0) return `export function rate_${file}_${at}(hours: number) {`;
      return at % 10 === 9 ? "}" : `  const part_${file}_${at} = hours * ${at};`;
    });
    const numbered = lines.map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join("\n");
    return [
      assistant(`Reading file ${file}.`, call(`r${file}`, "Read", { file_path: `/work/src/module_${file}.ts` })),
      user(result(`r${file}`, numbered)),
    ];
  });
  return [user("Add up the rates."), ...reads.flat(), assistant("Now the invoice.")];
}

function ledger(needed: readonly Partial<NeededPlace>[], budgetTokens = 1_200): string {
  const places = needed.map((place) => ({ path: undefined, ranges: [], names: [], ...place }));
  return writeLedger(log(), { budgetTokens, needed: places }).text;
}

const OLD = { path: "src/module_2.ts", ranges: [{ first: 12, last: 18 }] };
const OLD_LINES = Array.from({ length: 7 }, (_, at) => `  const part_2_${at + 11} = hours * ${at + 11};`);

test("lines of a file that are needed are quoted, one below the other", () => {
  expect(ledger([])).not.toContain("part_2_11");
  expect(ledger([OLD])).toContain(OLD_LINES.join("\n"));
  expect(ledger([{ ...OLD, path: "/work/src/module_2.ts" }])).toContain(OLD_LINES.join("\n"));
});

test("a name brings the line that opens its block, and the beginning of the block", () => {
  const text = ledger([{ path: "module_3.ts", names: ["rate_3_20"] }]);
  expect(text).toContain(
    "export function rate_3_20(hours: number) {\n  const part_3_21 = hours * 21;\n  const part_3_22 = hours * 22;\n  const part_3_23 = hours * 23;",
  );
  expect(ledger([{ names: ["part_3_25 ="] }])).toContain("part_3_25 = hours * 25;");
});

test("what was taken for a path is looked for as names where no file is called so", () => {
  expect(ledger([{ path: "rates.New", names: ["part_4_5"] }])).toContain("part_4_5");
});

test("the places that come first are quoted where not all have room, and the rest of the room is the ledger's own", () => {
  const all = Array.from({ length: 30 }, (_, file) => ({
    path: `module_${file}.ts`,
    ranges: [{ first: 1, last: 40 }],
  }));
  const text = ledger(all);
  expect(text).toContain("part_0_1 ");
  expect(text).not.toContain("part_7_1 ");
  // The newest file, which the ledger finds by itself.
  expect(text).toContain("module_29.ts");
});

describe("nothing changes", () => {
  test.each<[string, readonly Partial<NeededPlace>[]]>([
    ["without a place", []],
    ["where no file and no line is meant", [{ path: "src/none.ts", ranges: [{ first: 1, last: 9 }] }]],
    ["where nobody said the name", [{ names: ["nobody_said_this"] }]],
  ])("%s", (_why, needed) => {
    expect(ledger(needed)).toBe(writeLedger(log(), { budgetTokens: 1_200 }).text);
  });
});
