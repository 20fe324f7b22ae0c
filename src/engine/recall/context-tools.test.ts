import { describe, expect, test } from "vitest";
import { sessionWithHiddenFact, talkWithFact } from "../../../test/support/hidden-fact.ts";
import { createEngine } from "../create-engine.ts";
import { contextTools } from "./context-tools.ts";

function toolsByName(session: Parameters<typeof contextTools>[0]) {
  const tools = new Map(contextTools(session).map((tool) => [tool.name, tool]));
  return (name: string) => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return tool;
  };
}

const freshSession = async () =>
  createEngine({ model: "claude-sonnet-4-5" }).session("fresh", { messages: talkWithFact() });

test("there are four tools, recall first", async () => {
  const names = contextTools(await freshSession()).map(({ name }) => name);
  expect(names).toEqual(["recall", "context_usage", "condense", "pin"]);
});

describe("condense", () => {
  test("folds older messages and names the fold", async () => {
    const session = await freshSession();
    const answer = await toolsByName(session)("condense").execute({});
    const [fold] = await session.folds();
    expect(answer).toContain(`Condensed into fold ${fold?.foldId}: `);
  });

  test("says why nothing was changed", async () => {
    const session = await createEngine({ model: "claude-sonnet-4-5" }).session("empty");
    expect(await toolsByName(session)("condense").execute({})).toMatch(/^Nothing was changed\. /);
  });
});

describe("pin", () => {
  test("takes its arguments as JSON too, marks the message, and takes that back", async () => {
    const session = await freshSession();
    const pin = toolsByName(session)("pin");
    const id = (await session.log())[2]?.id ?? "";
    expect(await pin.execute(JSON.stringify({ message: id }))).toBe(`${id} is pinned: it stays visible.`);
    expect((await session.log())[2]?.important).toBe(true);
    expect(await pin.execute({ message: id, off: true })).toBe(`${id} is pinned no longer.`);
    expect((await session.log())[2]?.important).toBe(false);
  });

  test("takes each name of a message that recall takes", async () => {
    const messages = talkWithFact().map((message) => ({ ...message, id: `toolu_01-${message.id}-0123456789abcdef` }));
    const session = await createEngine({ model: "claude-sonnet-4-5" }).session("long ids", { messages });
    const pin = toolsByName(session)("pin");
    for (const [name, place] of [
      ["m8", 8],
      ["#4", 4],
      [messages[6]?.id, 6],
    ] as const) {
      expect(await pin.execute({ message: name })).toBe(`${name} is pinned: it stays visible.`);
      expect((await session.log())[place]?.important).toBe(true);
    }
    // Recall names messages so.
    await session.condense();
    expect(await toolsByName(session)("recall").execute({ query: "seal number of pump 17" })).toContain("<excerpt m2 ");
  });

  test.each([
    [{ message: "m-none" }, /^There is no message "m-none"\. Pass an id as recall gives it\.$/],
    [{ message: "#99999" }, /^There is no message "#99999"/],
    [{}, /^Pass /],
    ["{", /^Pass /],
    [null, /^Pass /],
  ])("answers %j with what can be done about it", async (input, answer) => {
    expect(await toolsByName(await freshSession())("pin").execute(input)).toMatch(answer);
  });
});

test("context_usage names the folds", async () => {
  const session = await sessionWithHiddenFact();
  const [fold] = await session.folds();
  expect(await toolsByName(session)("context_usage").execute(undefined)).toContain(fold?.foldId);
});

test("each tool has the shape of each API, without an empty list of required arguments", async () => {
  const tools = contextTools(await freshSession());
  const shapes = tools.map((tool) => [
    tool.as("anthropic").input_schema,
    tool.as("openai-chat").function.parameters,
    tool.as("openai-responses").parameters,
    tool.as("gemini").parametersJsonSchema,
  ]);
  for (const [index, schemas] of shapes.entries()) {
    for (const schema of schemas) expect(schema).toEqual(tools[index]?.inputSchema);
  }
  expect(tools.map(({ inputSchema }) => inputSchema.required)).toEqual([undefined, undefined, undefined, ["message"]]);
});

test("an API that there is none of is refused", async () => {
  const [, usage] = contextTools(await freshSession());
  expect(() => Reflect.apply(usage?.as ?? (() => {}), usage, ["cohere"])).toThrow(/anthropic, openai-chat/);
});
