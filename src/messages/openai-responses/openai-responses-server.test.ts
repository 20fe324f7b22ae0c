/** Prompts through the official client, judged by a server that refuses what the provider refuses. */
import fc from "fast-check";
import { OpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFolded, viewOf, viewPlan } from "../../../test/support/folded-views.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import { createEngine } from "../../engine/create-engine.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { fromOpenAiResponses, type OpenAiResponsesItem, toOpenAiResponses } from "./index.ts";

/** Smaller windows, so that more of the views hide something. */
const tightPlan = viewPlan.map((plan) => ({ ...plan, contextWindow: Math.ceil(plan.contextWindow / 3) }));
/** Only replies of this API have sealed reasoning. */
const mostlyOwn = fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false));

const SYSTEM = "Be brief.";
const TOOLS: OpenAI.Responses.Tool[] = [
  { type: "function", name: "read", parameters: {}, strict: false },
  { type: "custom", name: "shell" },
];

let server: ModelServer;
let client: OpenAI;

beforeAll(async () => {
  server = await startModelServer({ contextWindow: 10_000_000 });
  client = new OpenAI({ baseURL: server.baseUrls["openai-responses"], apiKey: "key", maxRetries: 0, logLevel: "off" });
});

afterAll(() => server.close());

function ask(messages: readonly Message[], store = false) {
  const prompt = toOpenAiResponses(messages, { system: SYSTEM, stored: store });
  const include: OpenAI.Responses.ResponseIncludable[] = store ? [] : ["reasoning.encrypted_content"];
  return client.responses.create({ model: "gpt-5.4", store, include, tools: TOOLS, ...prompt });
}

describe.each([
  ["by what is sealed", false],
  ["by what the API stored", true],
])("a tool loop that goes on %s", (_, store) => {
  test("sends every item back as it came", async () => {
    const session = await createEngine({ model: "gpt-5.4", contextWindow: 100_000 }).session("task");
    await session.append({ role: "user", content: "What does a.ts hold?" });
    server.script(
      {
        type: "tool-calls",
        text: "Reading.",
        reasoning: "A file.",
        calls: [
          { id: "c1", name: "read", input: { path: "a.ts" } },
          { id: "c2", name: "shell", rawInput: "ls -l", input: {} },
        ],
      },
      {
        type: "tool-calls",
        reasoning: "Another.",
        calls: [{ id: "c3", name: "read", rawInput: '{"path": "b', input: {} }],
      },
      { type: "text", text: "Two numbers.", reasoning: "Enough." },
    );
    const expected: object[] = [{ role: "user", content: "What does a.ts hold?" }];
    for (let turn = 0; turn < 3; turn++) {
      const { output } = await ask((await session.prepare()).messages, store);
      await session.append(...fromOpenAiResponses(output));
      const outputs = output.flatMap((item) => {
        if (item.type !== "function_call" && item.type !== "custom_tool_call") return [];
        return [{ type: `${item.type}_output`, call_id: item.call_id, output: "1, 2" }];
      });
      await session.append(...fromOpenAiResponses(outputs));
      expected.push(...output.map(withoutLogprobs), ...outputs);
    }
    await session.append({ role: "user", content: "Thanks." });
    await ask((await session.prepare()).messages, store);
    expect(server.requests.at(-1)?.body.instructions).toBe(SYSTEM);
    expect(server.requests.at(-1)?.body.input).toEqual([...expected, { role: "user", content: "Thanks." }]);
  });
});

/** The one thing of the server's replies that does not go back. */
function withoutLogprobs(item: OpenAI.Responses.ResponseOutputItem): object {
  if (item.type === "custom_tool_call") {
    const { status: _, ...call }: Record<string, unknown> = { ...item };
    return call;
  }
  if (item.type !== "message") return item;
  return { ...item, content: item.content.map((part) => ({ ...part, logprobs: undefined })) };
}

test("takes every view, of this API's own replies and of others", async () => {
  let folded = 0;
  let sealed = 0;
  await fc.assert(
    fc.asyncProperty(tightPlan, mostlyOwn, async (plan, isOwn) => {
      const view = await viewOf(plan, isOwn ? asReplies : undefined);
      if (isFolded(view)) folded++;
      await ask(view);
      const { input } = toOpenAiResponses(view);
      if (input.some((item) => "encrypted_content" in item)) sealed++;
      expect(input.filter(isOdd)).toEqual([]);
    }),
    propertyRuns(80),
  );
  expect(folded).toBeGreaterThan(0);
  expect(sealed).toBeGreaterThan(0);
});

test("what was written is read and written as the same", async () => {
  await fc.assert(
    fc.asyncProperty(tightPlan, mostlyOwn, async (plan, isOwn) => {
      const { input } = toOpenAiResponses(await viewOf(plan, isOwn ? asReplies : undefined));
      expect(toOpenAiResponses(fromOpenAiResponses(input)).input).toEqual(input);
    }),
    propertyRuns(60),
  );
});

/** The assistant's messages as this server would have sent them: the first thought of each is sealed, and every item has an id. */
function asReplies(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, index) => {
    if (message.role === "user") return [message];
    const serial = String(index).padStart(6, "0");
    const blocks: readonly Block[] =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    const said = blocks.filter(({ type }) => type !== "reasoning");
    const thought = { type: "reasoning", id: `rs_${serial}`, summary: [], encrypted_content: sealOf(`rs_${serial}`) };
    const isLed = said.length < blocks.length;
    const items = said.map((block, place) => itemOf(block, `${serial}_${isLed && place === 0 ? "rs" : place + 1}`));
    return items.length === 0 ? [message] : fromOpenAiResponses(isLed ? [thought, ...items] : items);
  });
}

function itemOf(block: Block, name: string): object {
  if (isToolUse(block)) {
    const call = { call_id: block.id, name: block.name, arguments: JSON.stringify(block.input) };
    return { type: "function_call", id: `fc_${name}`, ...call };
  }
  const text = "text" in block ? block.text : JSON.stringify(block);
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${name}`, role: "assistant", status: "completed", content };
}

function sealOf(id: string): string {
  return Buffer.from(`palimpsest seal of ${id}`).toString("base64");
}

/** Content that says nothing, which other servers of this API refuse. */
function isOdd(item: OpenAiResponsesItem): boolean {
  return "content" in item && (item.content === "" || (Array.isArray(item.content) && item.content.length === 0));
}
