import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../../../test/support/messages.ts";
import type { JsonSchema, ToolDefinition } from "../tool-definition.ts";
import type { AllowLists } from "./allow-lists.ts";
import { guardedKind } from "./guarded-kind.ts";
import { narrowTool } from "./narrow-tool.ts";

const LISTS: AllowLists = { paths: ["src/a.ts", "src/b.ts"], commands: ["npm test"] };
const PATHS = LISTS.paths;

function tool(properties: JsonSchema, fields: Partial<ToolDefinition> = {}): ToolDefinition {
  const inputSchema = { type: "object", properties };
  return deepFreeze({ name: "edit", description: "Edits.", inputSchema, permissions: [], ...fields });
}

function narrowed(given: ToolDefinition, lists: AllowLists = LISTS): JsonSchema {
  const narrowing = narrowTool(given, lists);
  if (narrowing.type !== "narrowed") throw new Error(`expected a narrowed tool, got ${JSON.stringify(narrowing)}`);
  return narrowing.tool.inputSchema;
}

const reasonOf = (given: ToolDefinition, lists: AllowLists = LISTS) => {
  const narrowing = narrowTool(given, lists);
  return narrowing.type === "impossible" ? narrowing.reason : narrowing.type;
};

describe("a parameter's name", () => {
  test.each([
    "path",
    "file_path",
    "filePath",
    "file",
    "files",
    "old-path",
    "path2",
    "cwd",
    "targetDirectory",
    "file_pattern",
  ])("such as %s is that of a path", (name) => {
    expect(guardedKind(tool({}), name)).toBe("path");
  });

  test.each(["command", "cmd", "shell_command", "commandLine", "script"])("such as %s is that of a command", (name) => {
    expect(guardedKind(tool({}), name)).toBe("command");
  });

  test.each(["file_text", "content", "query", "profile", "code", "pathological"])("such as %s is free", (name) => {
    expect(guardedKind(tool({}), name)).toBeUndefined();
  });

  test("such as code is that of a command where the tool executes", () => {
    expect(guardedKind(tool({}, { permissions: ["execute"] }), "code")).toBe("command");
  });

  test("yields to what the tool declares", () => {
    const declared = tool({}, { guardedParameters: { target: "path", file: "free" } });
    expect(guardedKind(declared, "target")).toBe("path");
    expect(guardedKind(declared, "file")).toBeUndefined();
  });
});

describe("narrowTool", () => {
  test("makes choices of paths and commands, and takes no other parameters", () => {
    const given = tool({ path: { type: "string", description: "Where." }, command: { type: "string" }, text: {} });
    expect(narrowTool(given, LISTS)).toEqual({
      type: "narrowed",
      tool: {
        ...{ name: "edit", description: "Edits." },
        inputSchema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where.", enum: PATHS },
            command: { type: "string", enum: ["npm test"] },
            text: {},
          },
          additionalProperties: false,
        },
      },
      parameters: [
        { place: "path", kind: "path", allowed: PATHS },
        { place: "command", kind: "command", allowed: ["npm test"] },
      ],
    });
  });

  test("leaves a tool without such parameters as it is", () => {
    const given = tool({ query: { type: "string" } });
    const narrowing = narrowTool(given, {});
    expect(narrowing).toMatchObject({ type: "unchanged", tool: { inputSchema: given.inputSchema } });
  });

  test("gives the same object for the same lists", () => {
    const given = tool({ path: { type: "string" } });
    expect(narrowTool(given, LISTS)).toBe(narrowTool(given, LISTS));
  });

  test("finds parameters at any depth", () => {
    const schema = narrowed(
      tool({ edits: { type: "array", items: { type: "object", properties: { file: { type: "string" }, text: {} } } } }),
    );
    expect(schema).toEqual({
      type: "object",
      properties: {
        edits: {
          type: "array",
          items: {
            type: "object",
            properties: { file: { type: "string", enum: PATHS }, text: {} },
            additionalProperties: false,
          },
        },
      },
    });
  });

  test.each([
    ["a list", { type: "array", items: { type: "string" } }, { type: "array", items: { type: "string", enum: PATHS } }],
    [
      "an optional text",
      { type: ["string", "null"] },
      { type: ["string", "null"], enum: ["src/a.ts", "src/b.ts", null] },
    ],
    [
      "an optional text as a union",
      { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }], title: "Path", default: null },
      { type: ["string", "null"], minLength: 1, title: "Path", enum: ["src/a.ts", "src/b.ts", null], default: null },
    ],
    ["anything", {}, { type: "string", enum: PATHS }],
    ["anything at all", true, { type: "string", enum: PATHS }],
    ["choices of its own", { enum: ["src/b.ts", "src/c.ts"] }, { type: "string", enum: ["src/b.ts"] }],
    [
      "a default that is not allowed",
      { type: "string", default: "/", examples: ["/"] },
      { type: "string", enum: PATHS },
    ],
    ["a default that is allowed", { default: "src/a.ts" }, { type: "string", enum: PATHS, default: "src/a.ts" }],
  ])("narrows %s", (_, schema, expected) => {
    expect(narrowed(tool({ paths: schema })).properties).toEqual({ paths: expected });
  });

  test("follows references and narrows what they name", () => {
    const given = tool(
      {},
      {
        inputSchema: {
          type: "object",
          properties: { path: { $ref: "#/$defs/Path" }, change: { $ref: "#/$defs/Change" } },
          $defs: { Path: { type: "string" }, Change: { type: "object", properties: { file: { type: "string" } } } },
        },
      },
    );
    expect(narrowed(given)).toMatchObject({
      properties: { path: { type: "string", enum: PATHS }, change: { $ref: "#/$defs/Change" } },
      $defs: { Change: { properties: { file: { enum: PATHS } } } },
    });
  });

  test("narrows parts that every input must obey, but nothing under a condition or a negation", () => {
    const part = { properties: { path: { type: "string" } } };
    const given = tool({}, { inputSchema: { allOf: [part], anyOf: [part, { type: "null" }], not: part, if: part } });
    const held = { properties: { path: { type: "string", enum: PATHS } } };
    expect(narrowed(given)).toEqual({ allOf: [held], anyOf: [held, { type: "null" }], not: part, if: part });
  });

  test("closes no object that others speak about too, or that says itself what it takes", () => {
    const path = { type: "string" };
    for (const beside of [{ allOf: [{ required: ["path"] }] }, { additionalProperties: true }]) {
      const inputSchema = { type: "object", properties: { path }, ...beside };
      expect(narrowed(tool({}, { inputSchema })).additionalProperties).toBe("allOf" in beside ? undefined : true);
    }
  });

  test("looks into a group instead of asking for a list of groups", () => {
    const group = { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } };
    expect(narrowed(tool({ files: { type: "array", items: group } }))).toMatchObject({
      properties: { files: { items: { properties: { path: { enum: PATHS } } } } },
    });
  });

  test("prefers a list for one parameter of one tool, also for what is neither path nor command", () => {
    const lists = { ...LISTS, parameters: { edit: { path: ["only.ts"], branch: ["main"] } } };
    expect(narrowed(tool({ path: { type: "string" }, branch: { type: "string" } }), lists).properties).toEqual({
      path: { type: "string", enum: ["only.ts"] },
      branch: { type: "string", enum: ["main"] },
    });
  });
});

function placeIn(inputSchema: JsonSchema): string {
  if ("oneOf" in inputSchema) return "group.path";
  return "$defs" in inputSchema ? "$defs.In.path" : "path";
}

describe("a tool cannot be narrowed", () => {
  test.each([
    [
      "without a list",
      tool({ path: { type: "string" } }),
      {},
      "its parameter path is a path, and no allow-list is given for it",
    ],
    [
      "with the other list",
      tool({ cmd: {} }),
      { paths: ["a"] },
      "its parameter cmd is a command, and no allow-list is given for it",
    ],
    [
      "with an empty list",
      tool({ path: {} }),
      { paths: [] },
      "its parameter path takes nothing that its allow-list allows",
    ],
    [
      "where nothing is left",
      tool({ path: { const: "x" } }),
      LISTS,
      "its parameter path takes nothing that its allow-list allows",
    ],
    [
      "where it takes a number",
      tool({ path: { type: "integer" } }),
      LISTS,
      "its parameter path takes more than texts, so no allow-list can hold it",
    ],
    [
      "where it takes a map by path",
      tool({ files: { type: "object" } }),
      LISTS,
      "its parameter files takes more than texts, so no allow-list can hold it",
    ],
    [
      "where it takes texts or lists",
      tool({ path: { type: ["string", "array"] } }),
      LISTS,
      "its parameter path takes more than texts, so no allow-list can hold it",
    ],
    [
      "where the list names another parameter",
      tool({ path: {} }),
      { ...LISTS, parameters: { edit: { pth: ["a"] } } },
      "its allow-list names pth, which is none of its parameters",
    ],
    ...[
      { anyOf: [{ properties: { path: {} } }, { properties: { url: {} } }] },
      { oneOf: [{ properties: { group: { type: "object", properties: { path: {} } } } }, {}] },
      { if: { required: ["path"] }, else: { properties: { path: {} } } },
      { dependentSchemas: { mode: { properties: { path: {} } } } },
      { anyOf: [{ $ref: "#/$defs/In" }, { required: ["url"] }], $defs: { In: { properties: { path: {} } } } },
    ].map((inputSchema): [string, ToolDefinition, AllowLists, string] => [
      `where an input can do without the part that names it: ${Object.keys(inputSchema)}`,
      tool({}, { inputSchema }),
      LISTS,
      `its parameter ${placeIn(inputSchema)} stands in one of several alternatives, so no allow-list can hold it`,
    ]),
    [
      "where it refers to another document",
      tool({ input: { $ref: "https://example.invalid/s.json" } }),
      LISTS,
      'its schema refers to "https://example.invalid/s.json", out of reach',
    ],
    [
      "where it refers to a part under a word of its own",
      tool({}, { inputSchema: { $ref: "#/x-parts/In", "x-parts": { In: { properties: { path: {} } } } } }),
      LISTS,
      'its schema refers to "#/x-parts/In", out of reach',
    ],
    [
      "where references run in a circle",
      tool({}, { inputSchema: { properties: { path: { $ref: "#/$defs/A" } }, $defs: { A: { $ref: "#/$defs/A" } } } }),
      LISTS,
      "its parameter path takes more than texts, so no allow-list can hold it",
    ],
  ])("%s", (_, given, lists, reason) => {
    expect(reasonOf(given, lists)).toBe(reason);
  });
});
