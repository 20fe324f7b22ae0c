import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { deepFreeze } from "../../../test/support/messages.ts";
import { untyped } from "../../../test/support/sessions.ts";
import type { Message } from "../../core/message/message.ts";
import { startModelServer } from "../../testing/index.ts";
import { createEngine } from "../create-engine.ts";

const QUESTION: Message = deepFreeze({ id: "m1", role: "user", content: "Why?" });
const open = () => createEngine({ model: "claude-haiku-4-5" }).session("task", { systemPrompt: "Be brief." });

test("gives a prompt that the official client takes, and a report that is not sent", async () => {
  const server = await startModelServer();
  try {
    const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const session = await open();
    await session.append(QUESTION);
    const prepared = await session.prepare({ as: "anthropic" });
    await client.messages.create({ model: "claude-haiku-4-5", max_tokens: 100, ...prepared });
    const { report } = prepared;
    expect(report).toEqual((await session.prepare()).report);
    expect(server.requests).toMatchObject([{ outcome: "answered" }]);
    expect(Object.keys(server.requests[0]?.body ?? {}).toSorted()).toEqual([
      "max_tokens",
      "messages",
      "model",
      "system",
    ]);
  } finally {
    await server.close();
  }
});

test("has the system prompt that the session has now", async () => {
  const session = await open();
  await session.append(QUESTION);
  session.usePrompt({ systemPrompt: "Be long." });
  expect({ ...(await session.prepare({ as: "anthropic" })) }).toEqual({
    system: "Be long.",
    messages: [{ role: "user", content: "Why?" }],
  });
});

test("folds as it does without a wire", async () => {
  const long = Array.from(
    { length: 30 },
    (_, at): Message => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `${at} `.repeat(400),
    }),
  );
  const open = () =>
    createEngine({ model: "small", contextWindow: 8_000, maxTokens: 500 }).session("task", { messages: long });
  const { messages, report } = await (await open()).prepare();
  const prepared = await (await open()).prepare({ as: "anthropic" });
  expect(report.foldIds.length).toBeGreaterThan(0);
  expect(prepared.report).toEqual(report);
  expect(prepared.messages).toHaveLength(messages.length);
});

test.each(["smoke-signals", "toString", 5, null])("refuses %s, and names the wires", async (as) => {
  const session = await open();
  const prepare: unknown = Reflect.apply(session.prepare, session, [{ as }]);
  await expect(prepare).rejects.toThrow(/options\.as is .*must be .*"anthropic"/);
});

test("refuses a wire that is not in an object, and one that there is not", async () => {
  const session = await open();
  await expect(session.prepare(untyped("anthropic"))).rejects.toThrow(
    'options is "anthropic"; it must be an object, such as { as: "anthropic" }.',
  );
  await expect(session.prepare(untyped({ as: "openai" }))).rejects.toThrow(
    'options.as is "openai"; it must be "ai-sdk", "anthropic", "gemini", "langchain", "openai-chat" or "openai-responses".',
  );
});

test("has the type of its wire, also where the options are a variable with others beside it", async () => {
  const session = await open();
  await session.append(QUESTION);
  const options = { as: "openai-responses", targetShare: 0.5 } as const;
  const prompt = await session.prepare(options);
  expect(prompt.input).toHaveLength(1);
  const { messages } = await session.prepare({ targetShare: 0.5 });
  expect(messages).toEqual([QUESTION]);
});
