/** Prompts through the official client, judged by a server that refuses what the providers refuse. */
import fc from "fast-check";
import { OpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFolded, viewOf, viewPlan } from "../../../test/support/folded-views.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import type { Message } from "../../core/message/message.ts";
import { createEngine } from "../../engine/create-engine.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { fromOpenAiChat, type OpenAiChatMessage, type OpenAiChatOptions, toOpenAiChat } from "./index.ts";

/** Smaller windows, so that more of the views hide something. */
const tightPlan = viewPlan.map((plan) => ({ ...plan, contextWindow: Math.ceil(plan.contextWindow / 3) }));

const WIRES = ["openai", "deepseek"] as const;
type Wire = (typeof WIRES)[number];

const MODELS: Readonly<Record<Wire, string>> = { openai: "gpt-5.4", deepseek: "deepseek-reasoner" };
const OPTIONS: Readonly<Record<Wire, OpenAiChatOptions>> = { openai: {}, deepseek: { reasoning: "reasoning_content" } };
const SYSTEM = "Be brief.";

let server: ModelServer;
let clients: Readonly<Record<Wire, OpenAI>>;

beforeAll(async () => {
  server = await startModelServer({ contextWindow: 10_000_000 });
  const clientOf = (wire: Wire) =>
    new OpenAI({ baseURL: server.baseUrls[wire], apiKey: "key", maxRetries: 0, logLevel: "off" });
  clients = { openai: clientOf("openai"), deepseek: clientOf("deepseek") };
});

afterAll(() => server.close());

function ask(wire: Wire, messages: readonly Message[]) {
  const prompt = toOpenAiChat(messages, { system: SYSTEM, ...OPTIONS[wire] });
  return clients[wire].chat.completions.create({ model: MODELS[wire], ...prompt });
}

describe.each(WIRES)("%s", (wire) => {
  test("takes a tool loop that goes through a session", async () => {
    const session = await createEngine({ model: MODELS[wire], contextWindow: 100_000 }).session("task");
    await session.append({ role: "user", content: "What does a.ts hold?" });
    server.script(
      {
        type: "tool-calls",
        text: "Reading.",
        reasoning: "A file.",
        calls: [{ id: "c1", name: "read", input: { path: "a.ts" } }],
      },
      { type: "tool-calls", calls: [{ id: "c2", name: "read", rawInput: '{"path": "b', input: {} }] },
      { type: "text", text: "Two numbers." },
    );
    for (let turn = 0; turn < 3; turn++) {
      const { choices } = await ask(wire, (await session.prepare()).messages);
      const reply = choices[0]?.message;
      if (reply === undefined) throw new Error("No reply.");
      await session.append(...fromOpenAiChat([reply]));
      const calls = reply.tool_calls ?? [];
      const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "1, 2" }));
      await session.append(...fromOpenAiChat(results));
    }
    await session.append({ role: "user", content: "Thanks." });
    await ask(wire, (await session.prepare()).messages);
    const sent = server.requests.at(-1)?.body.messages;
    const reasoning = (text: string) => (wire === "deepseek" ? { reasoning_content: text } : {});
    expect(sent).toEqual([
      { role: "system", content: SYSTEM },
      { role: "user", content: "What does a.ts hold?" },
      {
        role: "assistant",
        content: "Reading.",
        ...reasoning("A file."),
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "1, 2" },
      {
        role: "assistant",
        content: null,
        ...reasoning("A tool is needed."),
        tool_calls: [{ id: "c2", type: "function", function: { name: "read", arguments: '{"path": "b' } }],
      },
      { role: "tool", tool_call_id: "c2", content: "1, 2" },
      { role: "assistant", content: "Two numbers." },
      { role: "user", content: "Thanks." },
    ]);
  });

  test("takes every view", async () => {
    let folded = 0;
    await fc.assert(
      fc.asyncProperty(tightPlan, async (plan) => {
        const view = await viewOf(plan);
        if (isFolded(view)) folded++;
        await ask(wire, view);
        expect(findExtras(toOpenAiChat(view, OPTIONS[wire]).messages)).toEqual([]);
      }),
      propertyRuns(60),
    );
    expect(folded).toBeGreaterThan(0);
  });
});

test("what was written is read and written as the same", async () => {
  await fc.assert(
    fc.asyncProperty(viewPlan, fc.constantFrom(...WIRES), async (plan, wire) => {
      const { messages } = toOpenAiChat(await viewOf(plan), OPTIONS[wire]);
      expect(toOpenAiChat(fromOpenAiChat(messages), OPTIONS[wire]).messages).toEqual(messages);
    }),
    propertyRuns(60),
  );
});

const FIELDS: readonly string[] = ["role", "content", "tool_calls", "tool_call_id", "reasoning_content"];

/** Fields that the server overlooks and OpenAI would refuse, and content that says nothing. */
function findExtras(messages: readonly OpenAiChatMessage[]): readonly unknown[] {
  return messages.filter((message) => {
    const parts = Array.isArray(message.content) ? message.content : [];
    const isKnown = Object.keys(message).every((name) => FIELDS.includes(name));
    const isPlain = parts.every((part) => /^type,(?:text|image_url)$/.test(Object.keys(part).join()));
    const isBlank =
      message.role !== "tool" && (message.content === "" || parts.some((part) => "text" in part && part.text === ""));
    return !isKnown || !isPlain || isBlank;
  });
}
