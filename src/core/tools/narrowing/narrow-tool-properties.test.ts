/** Whatever the schema, no input that its narrowed form takes has a parameter that the allow-list does not allow. */
import { Ajv2019 } from "ajv/dist/2019.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { narrowTool } from "./narrow-tool.ts";

const ALLOWED = "src/a.ts";
const lists = { paths: [ALLOWED] };

const path = fc.constantFrom<object | boolean>(
  ...[
    { type: "string" },
    {},
    true,
    { type: ["string", "null"] },
    { $ref: "#/$defs/Text" },
    { enum: [ALLOWED, "/etc"] },
  ],
  ...[{ type: "array", items: { type: "string" } }, { anyOf: [{ type: "string" }, { type: "null" }] }],
);
const name = fc.constant(true);

const PLAIN = {
  type: fc.constant("object"),
  required: fc.subarray(["path", "name", "group"], { maxLength: 1 }),
  additionalProperties: fc.constant(true),
  $ref: fc.constant("#/$defs/Shared"),
};

/** A schema with up to one way of combining others, `depth` levels deep. */
function partOf(depth: number): fc.Arbitrary<object> {
  const inner = depth === 0 ? fc.constant({}) : partOf(depth - 1);
  const properties = fc.record({ path, name, group: inner }, { requiredKeys: [] });
  const row = fc.array(inner, { minLength: 1, maxLength: 2 });
  const combined = fc.oneof(
    fc.constant({}),
    ...["allOf", "anyOf", "oneOf"].map((keyword) => row.map((parts) => ({ [keyword]: parts }))),
    fc.record({ if: inner, else: inner }),
    fc.record({ dependentSchemas: fc.record({ name: inner }) }),
  );
  return fc
    .tuple(fc.record(PLAIN, { requiredKeys: [] }), properties, combined)
    .map(([plain, named, others]) => ({ ...plain, properties: named, ...others }));
}

const shared = fc.record({ properties: fc.record({ path, name }, { requiredKeys: [] }) });
const inputSchema = fc
  .tuple(partOf(2), shared)
  .map(([part, Shared]) => ({ ...part, $defs: { Shared, Text: { type: "string" } } }));

const value = fc.constantFrom<unknown>(ALLOWED, "/etc", null, 3, ["/etc"], [ALLOWED], { path: "/etc" });
const level = { path: fc.oneof(fc.constant(ALLOWED), value), name: value };
const input = fc.record({ ...level, group: fc.record(level, { requiredKeys: [] }) }, { requiredKeys: [] });

function isHeld(given: unknown): boolean {
  return given === undefined || given === null || [given].flat().every((each) => each === ALLOWED);
}

test("a narrowed parameter is held in every input that passes", () => {
  let passed = 0;
  fc.assert(
    fc.property(inputSchema, fc.array(input, { minLength: 5, maxLength: 10 }), (schema, inputs) => {
      const tool: ToolDefinition = { name: "edit", description: "", inputSchema: schema, permissions: [] };
      const narrowing = narrowTool(tool, lists);
      if (narrowing.type !== "narrowed") return;
      const places = "$ref" in schema ? ["path", "$defs.Shared.path"] : ["path"];
      if (!narrowing.parameters.some(({ place }) => places.includes(place))) return;
      const validate = new Ajv2019({ strict: false, validateSchema: false, logger: false }).compile(
        narrowing.tool.inputSchema,
      );
      for (const each of inputs.filter((candidate) => validate(candidate))) {
        passed += 1;
        expect(isHeld(each.path)).toBe(true);
      }
    }),
    { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 2) },
  );
  expect(passed).toBeGreaterThan(PROPERTY_RUNS.numRuns / 40);
});
