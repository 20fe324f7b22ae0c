import fc from "fast-check";
import { test } from "vitest";
import { PROPERTY_RUNS } from "../property-runs.ts";

test("a property that never holds", () => {
  fc.assert(
    fc.property(fc.nat(), () => false),
    PROPERTY_RUNS,
  );
});
