import { describe, expect, test } from "vitest";
import { createInitialState } from "../layers/state/initial-state.ts";
import type { CountTokens } from "../message/message.ts";
import { countTextTokens } from "../tokens/o200k/count-text-tokens.ts";
import {
  DEFAULT_TOOL_BUDGET_TOKENS,
  type ProjectToolsOptions,
  projectTools,
  type ToolSituation,
  URGENT_TOOL_COUNT,
} from "./project-tools.ts";
import type { ToolDefinition } from "./tool-definition.ts";

const EVERYTHING: ToolSituation = {
  phase: "executing",
  permissions: ["read", "write", "execute", "delete", "admin", "deploy"],
  environment: "dev",
};

function tool(name: string, fields: Partial<ToolDefinition> = {}): ToolDefinition {
  const inputSchema = { type: "object", properties: { topic: { type: "string" } } };
  return { name, description: `Does ${name}.`, inputSchema, permissions: [], ...fields };
}

const names = (situation: Partial<ToolSituation>, tools: readonly ToolDefinition[], options?: ProjectToolsOptions) =>
  projectTools({ ...EVERYTHING, ...situation }, tools, options).tools.map(({ name }) => name);

const ALL = [
  ...["search", "analyze", "estimate", "readFile", "writeFile", "execute", "modify", "test"],
  ...["evaluate", "compare", "measure", "verify", "audit", "approve", "deploy"],
].map((name) => tool(name));

describe("the phase", () => {
  test.each([
    ["initializing", ["search", "analyze", "estimate", "readFile"]],
    ["planning", ["search", "analyze", "estimate", "readFile"]],
    ["executing", ["search", "readFile", "writeFile", "execute", "modify", "test"]],
    ["reflecting", ["test", "evaluate", "compare", "measure"]],
    ["verifying", ["verify", "audit", "approve"]],
    ["completed", []],
    ["failed", ["search", "analyze", "estimate", "readFile"]],
  ] as const)("%s shows %j", (phase, expected) => {
    expect(names({ phase }, ALL)).toEqual(expected);
  });

  test("knows a tool by any spelling of its name, by its last part, an alias or a capability", () => {
    const tools = [
      ...[tool("read_file"), tool("Read-File"), tool("mcp__files__read_file"), tool("files.readFile")],
      ...[tool("lesen", { aliases: ["readFile"] }), tool("look", { capabilities: ["search"] }), tool("readFiles")],
    ];
    expect(names({ phase: "planning" }, tools)).toEqual(tools.slice(0, -1).map(({ name }) => name));
  });

  test("knows the tools of well-known agents", () => {
    const tools = ["Read", "Grep", "Write", "Edit", "Bash", "apply_patch", "run_shell_command"].map((name) =>
      tool(name),
    );
    expect(names({ phase: "planning" }, tools)).toEqual(["Read", "Grep"]);
    expect(names({ phase: "executing" }, tools)).toHaveLength(7);
  });

  test("does not matter to a tool that declares its own", () => {
    expect(names({ phase: "completed" }, [tool("report", { phases: ["completed"] }), tool("search")])).toEqual([
      "report",
    ]);
    expect(names({ phase: "planning" }, [tool("search", { phases: [] })])).toEqual([]);
  });

  test("can list other tools", () => {
    const phaseMap = { planning: ["deploy"] };
    expect(names({ phase: "planning" }, ALL, { phaseMap })).toEqual(["deploy"]);
    expect(names({ phase: "verifying" }, ALL, { phaseMap })).toEqual(["verify", "audit", "approve"]);
  });

  test("shows tools that no phase lists only where that is asked for", () => {
    expect(names({ phase: "planning" }, ALL, { unlistedTools: "show" })).toEqual(
      names({ phase: "planning" }, [...ALL.slice(0, 4), tool("deploy", { phases: ["planning"] })]),
    );
  });

  test("is explained", () => {
    const { decisions } = projectTools({ ...EVERYTHING, phase: "planning" }, [
      tool("search"),
      tool("test"),
      tool("odd"),
    ]);
    expect(decisions).toEqual([
      { type: "kept", toolName: "search", tokens: expect.any(Number), reason: "The phase planning lists it." },
      expect.objectContaining({
        cause: "phase",
        reason: "The phase planning lists search, analyze, estimate, readFile.",
      }),
      expect.objectContaining({ cause: "phase", reason: expect.stringMatching(/^No phase lists it .* capabilities/) }),
    ]);
  });
});

describe("permissions", () => {
  test("must all be held", () => {
    const tools = [
      tool("search"),
      tool("test", { permissions: ["read"] }),
      tool("modify", { permissions: ["read", "write"] }),
    ];
    expect(names({ permissions: [] }, tools)).toEqual(["search"]);
    expect(names({ permissions: ["read"] }, tools)).toEqual(["search", "test"]);
    expect(names({ permissions: ["write", "read"] }, tools)).toEqual(["search", "test", "modify"]);
  });

  test("that are missing are named", () => {
    const { decisions } = projectTools({ ...EVERYTHING, permissions: ["read"] }, [
      tool("modify", { permissions: ["read", "write", "deploy"] }),
    ]);
    expect(decisions).toEqual([
      {
        type: "hidden",
        toolName: "modify",
        cause: "permission",
        reason: "It needs write, deploy, which is not granted.",
      },
    ]);
  });
});

describe("the environment", () => {
  const bash = tool("bash", {
    inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  });
  const allowLists = { commands: ["npm test"] };

  test.each(["dev", "staging"] as const)("%s shows schemas as they are", (environment) => {
    const { tools } = projectTools({ ...EVERYTHING, environment }, [bash], { allowLists });
    expect(tools).toEqual([{ name: "bash", description: "Does bash.", inputSchema: bash.inputSchema }]);
  });

  test("prod narrows paths and commands to the allow-list, and says so", () => {
    const { tools, decisions } = projectTools({ ...EVERYTHING, environment: "prod" }, [bash], { allowLists });
    expect(tools[0]?.inputSchema.properties).toEqual({ command: { type: "string", enum: ["npm test"] } });
    expect(decisions).toEqual([
      {
        ...{ type: "narrowed", toolName: "bash", tokens: expect.any(Number) },
        parameters: [{ place: "command", kind: "command", allowed: ["npm test"] }],
        reason: "The phase executing lists it. In production an allow-list holds command.",
      },
    ]);
  });

  test("prod hides a tool whose parameter has no allow-list, and says which", () => {
    const { tools, decisions } = projectTools({ ...EVERYTHING, environment: "prod" }, [bash, tool("search")]);
    expect(tools.map(({ name }) => name)).toEqual(["search"]);
    expect(decisions[0]).toEqual({
      ...{ type: "hidden", toolName: "bash", cause: "environment" },
      reason:
        "It cannot be narrowed for production: its parameter command is a command, and no allow-list is given for it.",
    });
  });

  test("prod narrows tools that are in use as well", () => {
    const options = { allowLists, keepTools: ["bash"] };
    const { decisions } = projectTools({ ...EVERYTHING, phase: "verifying", environment: "prod" }, [bash], options);
    expect(decisions[0]).toMatchObject({ type: "narrowed" });
  });

  test("another environment is a change that costs the cache", () => {
    const previous = projectTools(EVERYTHING, [bash]);
    const { change } = projectTools({ ...EVERYTHING, environment: "prod" }, [bash], { allowLists, previous });
    expect(change).toMatchObject({ costsCache: true, changed: ["bash"] });
  });
});

describe("the budget", () => {
  const TEN: CountTokens = () => 10;
  const tools = [
    ...[tool("search"), tool("test", { priority: 5 }), tool("modify", { priority: 9 })],
    ...[tool("execute", { priority: 5 }), tool("readFile", { priority: -1 })],
  ];

  test("is 2,000 tokens of definitions as they are sent", () => {
    expect(DEFAULT_TOOL_BUDGET_TOKENS).toBe(2_000);
    const many = Array.from({ length: 40 }, (_, index) =>
      tool(`tool${index}`, { capabilities: ["test"], description: "word ".repeat(100) }),
    );
    const projection = projectTools(EVERYTHING, many);
    const sentTokens = projection.tools.map((sent) => countTextTokens(JSON.stringify(sent)));
    expect(projection.tokens).toBe(sentTokens.reduce((sum, tokens) => sum + tokens, 0));
    expect(projection.tokens).toBeLessThanOrEqual(2_000);
    expect(projection.tokens).toBeGreaterThan(2_000 - Math.max(...sentTokens));
  });

  test("goes to the highest priorities, of equal ones to the first; the order stays", () => {
    expect(names({}, tools, { budgetTokens: 30, countTokens: TEN })).toEqual(["test", "modify", "execute"]);
    expect(names({}, tools, { budgetTokens: 20, countTokens: TEN })).toEqual(["test", "modify"]);
    expect(names({}, tools, { budgetTokens: 9, countTokens: TEN })).toEqual([]);
  });

  test("passes over a definition that is too large", () => {
    const byName: CountTokens = (text) => (String(text).includes('"modify"') ? 100 : 10);
    const { decisions, tools: shown } = projectTools(EVERYTHING, tools, { budgetTokens: 40, countTokens: byName });
    expect(shown.map(({ name }) => name)).toEqual(["search", "test", "execute", "readFile"]);
    expect(decisions[2]).toEqual({
      ...{ type: "hidden", toolName: "modify", cause: "budget" },
      reason: "It takes 100 tokens; of 40, the tools before it left 40.",
    });
  });

  test("under high urgency is for the best five alone", () => {
    expect(URGENT_TOOL_COUNT).toBe(5);
    const seven = [1, 7, 3, 6, 2, 5, 4].map((priority) => tool(`t${priority}`, { priority, capabilities: ["test"] }));
    const projection = projectTools(EVERYTHING, seven, { urgency: "high" });
    expect(projection.tools.map(({ name }) => name)).toEqual(["t7", "t3", "t6", "t5", "t4"]);
    expect(projection.decisions[0]).toMatchObject({ type: "hidden", cause: "urgency" });
    expect(names({}, seven, { urgency: "high", budgetTokens: 30, countTokens: TEN })).toEqual(["t7", "t6", "t5"]);
  });
});

describe("tools in use", () => {
  const tools = [
    tool("search"),
    tool("measure"),
    tool("test", { priority: 9 }),
    tool("approve", { permissions: ["admin"] }),
  ];

  test("stay whatever the phase, before all others", () => {
    const TEN: CountTokens = () => 10;
    expect(names({}, tools, { keepTools: ["measure"] })).toEqual(["search", "measure", "test"]);
    expect(names({}, tools, { keepTools: ["measure"], budgetTokens: 10, countTokens: TEN })).toEqual(["measure"]);
    expect(names({}, tools, { keepTools: ["measure"], budgetTokens: 9, countTokens: TEN })).toEqual([]);
  });

  test("still need their permissions", () => {
    expect(names({ permissions: ["read"] }, tools, { keepTools: ["approve"] })).toEqual(["search", "test"]);
  });
});

describe("a change", () => {
  test("costs the cache, and is named", () => {
    const tools = [tool("search"), tool("readFile"), tool("test"), tool("estimate")];
    const planning = projectTools({ ...EVERYTHING, phase: "planning" }, tools);
    const executing = projectTools(EVERYTHING, tools, { previous: planning });
    expect(executing.change).toEqual({
      ...{ costsCache: true, added: ["test"], removed: ["estimate"], changed: [], isReordered: false },
    });
  });

  test("is none where the same is sent again, also from other objects", () => {
    const previous = projectTools(EVERYTHING, ALL);
    const copies: readonly ToolDefinition[] = JSON.parse(JSON.stringify(ALL));
    expect(projectTools(EVERYTHING, ALL, { previous }).tools[0]).toBe(previous.tools[0]);
    expect(projectTools(EVERYTHING, copies, { previous }).change.costsCache).toBe(false);
  });

  test("is none at the first time", () => {
    expect(projectTools(EVERYTHING, ALL).change.costsCache).toBe(false);
  });

  test("is one where a description or the order is another", () => {
    const previous = projectTools(EVERYTHING, [tool("search"), tool("test")]);
    const renamed = projectTools(EVERYTHING, [tool("search"), tool("test", { description: "New." })], { previous });
    expect(renamed.change).toMatchObject({ costsCache: true, changed: ["test"], isReordered: false });
    const turned = projectTools(EVERYTHING, [tool("test"), tool("search")], { previous });
    expect(turned.change).toMatchObject({ costsCache: true, changed: [], isReordered: true });
  });
});

test("a whole state tells the situation as well", () => {
  const state = { ...EVERYTHING, phase: "planning" } as const;
  const initial = createInitialState("Rotate the secret");
  const layered = { ...initial, l2_runtime: { ...initial.l2_runtime, ...state } };
  expect(projectTools(layered, ALL).tools).toEqual(projectTools(state, ALL).tools);
});

describe("projectTools refuses", () => {
  const invalid = (message: RegExp) =>
    expect.objectContaining({ code: "invalid-argument", message: expect.stringMatching(message) });
  // what a program without types could pass
  const anything = (value: unknown) => JSON.parse(JSON.stringify(value));

  test.each([
    [/^tools\[1\]\.name is "a"; it must be a name that no other tool has/, {}, [tool("a"), tool("a")], {}],
    [/^tools\[0\]\.permissions is "fly"/, {}, [anything({ ...tool("a"), permissions: ["fly"] })], {}],
    [/^tools\[0\]\.inputSchema is undefined/, {}, [anything({ ...tool("a"), inputSchema: undefined })], {}],
    [/^situation\.phase is "sleeping"/, anything({ phase: "sleeping" }), [], {}],
    [/^situation\.environment is "moon"/, anything({ environment: "moon" }), [], {}],
    [/^options\.budgetTokens is -1/, {}, [], { budgetTokens: -1 }],
    [/^options\.urgency is "panic"/, {}, [], anything({ urgency: "panic" })],
    [/^options\.phaseMap is "sleeping"/, {}, [], anything({ phaseMap: { sleeping: [] } })],
    [/^options\.allowLists\.paths is 3/, {}, [], anything({ allowLists: { paths: [3] } })],
    [/^options\.unlistedTools is "maybe"/, {}, [], anything({ unlistedTools: "maybe" })],
  ])("%s", (message, situation, tools, options) => {
    expect(() => projectTools({ ...EVERYTHING, ...situation }, tools, options)).toThrow(invalid(message));
  });

  test("nothing because of a hostile schema: it hides that tool", () => {
    const deep = JSON.parse(`${'{"items":'.repeat(5_000)}{}${"}".repeat(5_000)}`);
    const circle: Record<string, unknown> = {};
    circle.properties = { one: circle, two: circle };
    const { tools, decisions } = projectTools(EVERYTHING, [
      ...[tool("test", { inputSchema: deep }), tool("search"), tool("modify", { inputSchema: circle })],
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["search"]);
    expect(decisions[0]).toMatchObject({ cause: "schema", reason: expect.stringContaining("64 levels deep") });
    expect(decisions[2]).toMatchObject({ cause: "schema" });
  });
});
