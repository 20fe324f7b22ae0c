import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { encodeTerm, encodeTermList } from "./search-records.ts";

const terms = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.string({ unit: fc.constantFrom("a", "\ue000", "0", "2", " ") }),
);

test("leaves names, paths and words of all scripts as they are", () => {
  for (const term of ["src/a-b_c.ts:12", "--flag=1", "漢字", "é", "c++", "a\\b", "{x}|[y]"])
    expect(encodeTerm(term)).toBe(term);
});

test("gives different terms different tokens", () => {
  fc.assert(
    fc.property(terms, terms, (one, other) => {
      expect(encodeTerm(one) === encodeTerm(other)).toBe(one === other);
    }),
    propertyRuns(100),
  );
});

test("leaves nothing that would part a token, end a quotation or change its case", () => {
  const units = Array.from({ length: 0x1_0000 }, (_, unit) => String.fromCharCode(unit));
  const parting = /[\0-\x20"'A-Z\x7f]|\p{Surrogate}/u;
  expect(units.filter((unit) => parting.test(encodeTerm(unit)))).toEqual([]);
});

test("a list of terms is each of them, encoded", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(terms, fc.constantFrom("src/a.ts", "relay", "é"))), (list) => {
      expect(encodeTermList(list)).toBe(list.map(encodeTerm).join(" "));
    }),
    propertyRuns(100),
  );
});
