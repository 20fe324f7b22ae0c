/** Projections of random tools in random situations. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { deepFreeze } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { Environment, Permission, Phase } from "../layers/layered-state.ts";
import { countTextTokens } from "../tokens/o200k/count-text-tokens.ts";
import { projectTools } from "./project-tools.ts";
import type { ToolDefinition } from "./tool-definition.ts";

const PERMISSIONS: readonly Permission[] = ["read", "write", "execute", "delete", "admin", "deploy"];
const PHASES: readonly Phase[] = [
  "initializing",
  "planning",
  "executing",
  "reflecting",
  "verifying",
  "completed",
  "failed",
];
const ENVIRONMENTS: readonly Environment[] = ["dev", "staging", "prod"];
const CAPABILITIES = ["search", "readFile", "writeFile", "execute", "test", "measure", "verify", "odd"];

const properties = fc.dictionary(
  fc.constantFrom("path", "command", "text", "files", "count"),
  fc.constantFrom<object>({ type: "string" }, { type: "array", items: { type: "string" } }, { type: "integer" }, {}),
  { maxKeys: 3, noNullPrototype: true },
);

const definition = fc.record({
  name: fc.string({ minLength: 1, maxLength: 8 }),
  description: fc.string({ maxLength: 120 }),
  inputSchema: properties.map((named) => ({ type: "object", properties: named })),
  permissions: fc.subarray([...PERMISSIONS], { maxLength: 2 }),
  capabilities: fc.subarray(CAPABILITIES, { maxLength: 4 }),
  priority: fc.integer({ min: -5, max: 5 }),
});

const tools = fc
  .uniqueArray(definition, { selector: ({ name }) => name, maxLength: 25, size: "max" })
  .map((list): readonly ToolDefinition[] => deepFreeze(list));

const situation = fc.record({
  phase: fc.constantFrom(...PHASES),
  permissions: fc.subarray([...PERMISSIONS]),
  environment: fc.constantFrom(...ENVIRONMENTS),
});

const options = fc.record({
  budgetTokens: fc.nat(1_500),
  urgency: fc.constantFrom("normal" as const, "high" as const),
  unlistedTools: fc.constantFrom("hide" as const, "show" as const),
  allowLists: fc.constantFrom({}, { paths: ["a.ts"] }, { paths: ["a.ts"], commands: ["npm test"] }),
});

test("a projection keeps its budget and its order, decides about every tool, and grants nothing that is not held", () => {
  fc.assert(
    fc.property(situation, tools, options, fc.nat(7), (where, given, how, keepEvery) => {
      const keepTools = given.filter((_, index) => index % (keepEvery + 2) === 1).map(({ name }) => name);
      const projection = projectTools(where, given, { ...how, keepTools });
      const shown = projection.tools.map(({ name }) => name);
      expect(projection.tokens).toBeLessThanOrEqual(how.budgetTokens);
      expect(projection.tokens).toBe(sum(projection.tools.map((tool) => countTextTokens(JSON.stringify(tool)))));
      expect(shown).toEqual(given.map(({ name }) => name).filter((name) => shown.includes(name)));
      expect(projection.decisions.map(({ toolName }) => toolName)).toEqual(given.map(({ name }) => name));
      expect(projection.decisions.filter(({ type }) => type !== "hidden").map(({ toolName }) => toolName)).toEqual(
        shown,
      );
      expect(projection.decisions.every(({ reason }) => reason.length > 0)).toBe(true);
      if (how.urgency === "high") expect(shown.length).toBeLessThanOrEqual(5);
      for (const tool of given.filter(({ name }) => shown.includes(name))) {
        expect(where.permissions).toEqual(expect.arrayContaining([...tool.permissions]));
      }
    }),
    PROPERTY_RUNS,
  );
});

test("in production every path and command that is shown is held by a list", () => {
  fc.assert(
    fc.property(situation, tools, options, (where, given, how) => {
      const { tools: shown } = projectTools({ ...where, environment: "prod" }, given, how);
      for (const { inputSchema } of shown) {
        const text = JSON.stringify(inputSchema);
        for (const name of ["path", "command", "files"]) {
          if (text.includes(`"${name}":`)) expect(text).toMatch(new RegExp(`"${name}":\\{[^}]*"enum":\\[`));
        }
      }
    }),
    PROPERTY_RUNS,
  );
});

test("the same situation gives the same projection, and does not cost the cache", () => {
  fc.assert(
    fc.property(situation, tools, options, (where, given, how) => {
      const previous = projectTools(where, given, how);
      const { change, ...again } = projectTools(where, given, { ...how, previous });
      expect(change.costsCache).toBe(false);
      expect({ ...again, change: previous.change }).toEqual(previous);
    }),
    { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 10) },
  );
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
