import { describe, expect, test } from "vitest";
import { asyncCpuTimeMs, cpuTimeMs } from "../../../test/support/cpu-time.ts";
import { projectTools } from "../../core/tools/project-tools.ts";
import type { JsonSchema, SentTool, ToolDefinition } from "../../core/tools/tool-definition.ts";
import { createArgumentCheck } from "./check-arguments.ts";

const tool = (inputSchema: JsonSchema, name = "edit"): SentTool => ({ name, description: "", inputSchema });

async function errorsOf(inputSchema: JsonSchema, input: unknown): Promise<readonly string[]> {
  const check = await createArgumentCheck([tool(inputSchema)]);
  const verdict = check("edit", input);
  return verdict.isValid ? [] : verdict.errors;
}

const EDIT: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    mode: { enum: ["replace", "insert"] },
    edits: { type: "array", items: { type: "object", properties: { line: { type: "integer" } }, required: ["line"] } },
  },
  required: ["path"],
  additionalProperties: false,
};

describe("arguments", () => {
  test("that fit their schema are valid", async () => {
    expect(await errorsOf(EDIT, { path: "a.ts", mode: "insert", edits: [{ line: 3 }] })).toEqual([]);
  });

  test.each([
    [{}, '"path" is missing.'],
    [{ path: 3 }, "path is 3; it must be of type string."],
    [{ path: "" }, 'path is ""; it must NOT have fewer than 1 characters.'],
    [{ path: "a", mode: "drop" }, 'mode is "drop"; it must be one of: "replace", "insert".'],
    [{ path: "a", edits: [{ line: 1 }, { line: "2" }] }, 'edits[1].line is "2"; it must be of type integer.'],
    [{ path: "a", edits: [{}] }, 'In edits[0]: "line" is missing.'],
    [
      { path: "a", mdoe: "insert" },
      '"mdoe" is not a parameter. Did you mean "mode"? Allowed: "path", "mode", "edits".',
    ],
  ])("%j are refused with what to change", async (input, error) => {
    expect(await errorsOf(EDIT, input)).toEqual([error]);
  });

  test.each([[undefined], [null], ["{}"], [[]], [3]])("%j are refused: they must be an object", async (input) => {
    expect(await errorsOf({}, input)).toEqual([expect.stringMatching(/^The input is .*; it must be an object\.$/)]);
  });

  test("get all their errors at once, but few and short ones", async () => {
    expect(await errorsOf(EDIT, { path: 1, mode: 2 })).toHaveLength(2);
    const edits = Array.from({ length: 5_000 }, () => ({ line: "x".repeat(5_000) }));
    const errors = await errorsOf(EDIT, { path: "a", edits });
    expect(errors).toHaveLength(9);
    expect(Math.max(...errors.map(({ length }) => length))).toBeLessThanOrEqual(300);
  });

  test("cannot lean on what every object inherits", async () => {
    const schema = { type: "object", required: ["constructor", "toString"] };
    expect(await errorsOf(schema, {})).toHaveLength(2);
    expect(await errorsOf(schema, { constructor: 1, toString: 2 })).toEqual([]);
    expect(await errorsOf(EDIT, JSON.parse('{ "path": "a", "__proto__": {} }'))).toHaveLength(1);
  });
});

describe("a tool", () => {
  test("that was not projected is refused with the names of those that were", async () => {
    const check = await createArgumentCheck([tool(EDIT, "read"), tool(EDIT, "search")]);
    const errors = ['There is no tool "deploy" here. Call one of: read, search.'];
    expect(check("deploy", { path: "a" })).toEqual({ isValid: false, errors });
    expect(check("__proto__", {})).toMatchObject({ isValid: false });
    const none = await createArgumentCheck([]);
    expect(none("read", {})).toMatchObject({ errors: [expect.stringContaining("No tools can be called now.")] });
  });

  test("that production narrowed takes what the allow-list allows, and nothing else", async () => {
    const bash: ToolDefinition = {
      ...{ name: "bash", description: "Runs a command.", permissions: ["execute"] },
      inputSchema: { type: "object", properties: { command: { type: "string" }, note: {} }, required: ["command"] },
    };
    const situation = { phase: "executing", permissions: ["execute"], environment: "prod" } as const;
    const allowLists = { commands: ["npm test", "git status"] };
    const check = await createArgumentCheck(projectTools(situation, [bash], { allowLists }).tools);
    expect(check("bash", { command: "npm test", note: "x" })).toEqual({ isValid: true });
    expect(check("bash", { command: "rm -rf /" })).toEqual({
      isValid: false,
      errors: ['command is "rm -rf /"; it must be one of: "npm test", "git status".'],
    });
    expect(check("bash", { command: "npm test", cmd: "rm -rf /" })).toMatchObject({ isValid: false });
  });
});

describe("schemas", () => {
  const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
  const DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema";
  const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

  test.each([
    ["draft 07", { $schema: DRAFT_07, properties: { a: { items: [{ type: "string" }] } } }],
    [
      "2019-09",
      { $schema: DRAFT_2019, properties: { a: { items: [{ type: "string" }] } }, unevaluatedProperties: false },
    ],
    ["2020-12", { $schema: DRAFT_2020, properties: { a: { prefixItems: [{ type: "string" }] } } }],
    ["no draft, old words", { properties: { a: { items: [{ type: "string" }] } } }],
    ["no draft, new words", { properties: { a: { prefixItems: [{ type: "string" }] } } }],
    [
      "a draft of their own",
      { $schema: "https://example.invalid/draft", properties: { a: { items: { type: "string" } } } },
    ],
  ])("of %s are understood", async (_, schema) => {
    expect(await errorsOf(schema, { a: ["x"] })).toEqual([]);
    expect(await errorsOf(schema, { a: [1] })).toEqual(["a[0] is 1; it must be of type string."]);
  });

  test("may have keywords, formats and escapes that we do not know", async () => {
    const schema = {
      ...{ type: "object", "x-order": ["a"] },
      properties: { a: { type: "string", format: "odd", widget: 1, pattern: "^\\p{L}+\\-x$|^y\\-z$" } },
    };
    expect(await errorsOf(schema, { a: "y-z" })).toEqual([]);
    expect(await errorsOf(schema, { a: "?" })).toHaveLength(1);
  });

  test("may share an $id", async () => {
    const one = tool({ $id: "https://example.invalid/a", properties: { a: { type: "string" } } }, "one");
    const two = tool({ $id: "https://example.invalid/a", properties: { a: { type: "number" } } }, "two");
    const check = await createArgumentCheck([one, two]);
    expect([check("one", { a: "x" }).isValid, check("two", { a: "x" }).isValid]).toEqual([true, false]);
  });

  test("that ask for a promise are checked at once all the same", async () => {
    expect(await errorsOf({ $async: true, properties: { a: { type: "string" } } }, { a: 1 })).toHaveLength(1);
  });

  test.each([
    ["another document", { properties: { a: { $ref: "https://example.invalid/a.json" } } }, /can't resolve reference/],
    ["a missing definition", { properties: { a: { $ref: "#/$defs/none" } } }, /can't resolve reference/],
    ["a type that is none", { type: "strin" }, /is not valid/],
    ["a broken pattern", { properties: { a: { pattern: "(" } } }, /Unterminated group/],
    ["parts that are no schemas", { properties: 3 }, /is not valid/],
    ["a hundred levels", JSON.parse(`${'{"items":'.repeat(100)}{}${"}".repeat(100)}`), /64 levels deep/],
    [
      "too many values",
      { properties: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, true])) },
      /20000/,
    ],
  ])("with %s make their tool uncallable, and say why", async (_, schema, reason) => {
    const check = await createArgumentCheck([tool(schema), tool(EDIT, "other")]);
    expect(check("edit", { a: "x" })).toEqual({
      isValid: false,
      errors: [expect.stringMatching(new RegExp(`^edit cannot be called: .*${reason.source}`))],
    });
    expect(check("other", { path: "a" })).toEqual({ isValid: true });
  });

  test("are compiled once per object", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`p${i}`, { type: "string", maxLength: i }]),
    );
    const definition = tool({ type: "object", properties });
    const time = () => asyncCpuTimeMs(async () => (await createArgumentCheck([definition]))("edit", { p3: "x" }));
    const first = await time();
    const later = Math.min(await time(), await time(), await time(), await time());
    expect(later).toBeLessThan(first);
  });
});

describe("a check never hangs", () => {
  const DEFINITIONS = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  );

  test.each([
    ["a pattern that backtracks for ever", { properties: { a: { pattern: "^(a+)+$" } } }, { a: `${"a".repeat(60)}b` }],
    [
      "a property pattern that does",
      { patternProperties: { "^(x|x)*$": { type: "number" } } },
      { [`${"x".repeat(60)}y`]: 1 },
    ],
    [
      "references that double at each step",
      { $ref: "#/$defs/d0", $defs: { ...DEFINITIONS, d40: { type: "object" } } },
      { a: 1 },
    ],
    [
      "a long list of distinct objects",
      { properties: { a: { uniqueItems: true } } },
      { a: Array.from({ length: 100_000 }, (_, id) => ({ id })) },
    ],
  ])("on %s", async (_, schema, input) => {
    const check = await createArgumentCheck([tool(schema)], { timeoutMs: 100 });
    const errors = ["The input could not be checked within 100 ms. Send shorter and simpler values."];
    expect(cpuTimeMs(() => expect(check("edit", input)).toEqual({ isValid: false, errors }))).toBeLessThan(5_000);
    // and works on
    expect((await createArgumentCheck([tool(EDIT, "other")]))("other", { path: "a" })).toEqual({ isValid: true });
  });

  test("on a schema that is nothing but a reference to itself", async () => {
    expect(await errorsOf({ $ref: "#" }, { a: 1 })).toEqual([expect.stringMatching(/could not be checked/)]);
  });

  test("on an input that is deeper than the stack", async () => {
    const schema = { type: "object", properties: { a: { $ref: "#" } } };
    const input = JSON.parse(`${'{"a":'.repeat(100_000)}{}${"}".repeat(100_000)}`);
    expect(await errorsOf(schema, input)).toEqual([expect.stringMatching(/could not be checked/)]);
    expect(await errorsOf(schema, { a: { a: {} } })).toEqual([]);
  });
});

test.each([
  [{ tools: [null] }, /^tools\[0\] is null/],
  [{ tools: [{ name: 3, inputSchema: {} }] }, /^tools\[0\]\.name is 3/],
  [{ tools: [{ name: "a" }] }, /^tools\[0\]\.inputSchema is undefined/],
])("createArgumentCheck refuses %j", async ({ tools }, message) => {
  await expect(createArgumentCheck(JSON.parse(JSON.stringify(tools)))).rejects.toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringMatching(message) }),
  );
});
