import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageTerms, searchTerms } from "./message-terms.ts";
import { tokenizeForRecall } from "./terms/tokenize-for-recall.ts";

describe("the terms of a message", () => {
  test("are those of all its texts, each once, in the order in which they come", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.lorem(), fc.string({ unit: "grapheme" }))), (texts) => {
        const content = texts.map((text) => ({ type: "text" as const, text }));
        const expected = [...new Set(texts.flatMap(tokenizeForRecall))];
        expect(messageTerms({ role: "user", content })).toEqual(expected);
      }),
      propertyRuns(100),
    );
  });

  test("hold what a query for one of its words or names looks for", () => {
    const terms = messageTerms({ role: "user", content: "The harbors of src/core/getUsers.ts" });
    for (const query of ["harbor", "getUsers", "getusers", "core"]) {
      expect(searchTerms(query).some((term) => terms.includes(term))).toBe(true);
    }
  });
});
