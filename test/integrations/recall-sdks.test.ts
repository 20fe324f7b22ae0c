/** The recall tool in the AI SDK's and in LangChain's own type, beside our middleware: an agent whose question only a fold can answer. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import { createGoogleGenerativeAI } from "ai-sdk-5-google";
import { createOpenAI } from "ai-sdk-6-openai";
import { createAgent, tool } from "langchain";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBareEngine } from "../../src/index.ts";
import * as aiSdk from "../../src/integrations/ai-sdk/index.ts";
import * as langChain from "../../src/integrations/langchain/index.ts";
import { toAiSdk, toLangChain } from "../../src/messages/index.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { HIDDEN_FACT, replyFromPrompt, talkWithFact } from "../support/hidden-fact.ts";

const ANSWER = `It is ${HIDDEN_FACT}.`;
const engineOf = () => createBareEngine({ model: "claude-haiku-4-5", contextWindow: 8_000, now: () => 1_000 });
let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer({ reply: replyFromPrompt });
});

afterEach(() => server.close());

/** The first request did not hold the fact: else nothing would have been called. */
function expectOneRecall(): void {
  expect(server.requests.map(({ outcome, rawBody }) => [outcome, rawBody.includes(HIDDEN_FACT)])).toEqual([
    ["answered", false],
    ["answered", true],
  ]);
}

describe("the AI SDK", () => {
  const { messages } = toAiSdk(talkWithFact());
  async function openSession() {
    const session = await engineOf().session("pumps");
    const middleware = aiSdk.palimpsestMiddleware({ session });
    return { session, middleware };
  }

  test("version 7 answers from what is hidden", async () => {
    const { session, middleware } = await openSession();
    const anthropic = createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "key" });
    const tools = { recall: aiSdk.palimpsestRecallTool({ session, jsonSchema: ai7.jsonSchema }) };
    const model = ai7.wrapLanguageModel({ model: anthropic("claude-haiku-4-5"), middleware });
    const { text } = await ai7.generateText({ model, tools, messages, stopWhen: ai7.stepCountIs(4) });
    expect(text).toBe(ANSWER);
    expectOneRecall();
  });

  test("version 7 answers from it in a stream", async () => {
    const { session, middleware } = await openSession();
    const anthropic = createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "key" });
    const tools = { recall: aiSdk.palimpsestRecallTool({ session, jsonSchema: ai7.jsonSchema }) };
    const model = ai7.wrapLanguageModel({ model: anthropic("claude-haiku-4-5"), middleware });
    expect(await ai7.streamText({ model, tools, messages, stopWhen: ai7.stepCountIs(4) }).text).toBe(ANSWER);
    expectOneRecall();
  });

  test("version 6 answers from it", async () => {
    const { session, middleware } = await openSession();
    const openAi = createOpenAI({ baseURL: server.baseUrls.openai, apiKey: "key" });
    const tools = { recall: aiSdk.palimpsestRecallTool({ session, jsonSchema: ai6.jsonSchema }) };
    const model = ai6.wrapLanguageModel({ model: openAi.chat("gpt-5"), middleware });
    const { text } = await ai6.generateText({ model, tools, messages, stopWhen: ai6.stepCountIs(4) });
    expect(text).toBe(ANSWER);
    expectOneRecall();
  });

  test("version 5 answers from it", async () => {
    const { session, middleware } = await openSession();
    const google = createGoogleGenerativeAI({ baseURL: server.baseUrls.gemini, apiKey: "key" });
    const tools = { recall: aiSdk.palimpsestRecallTool({ session, jsonSchema: ai5.jsonSchema }) };
    const model = ai5.wrapLanguageModel({ model: google("gemini-2.5-pro"), middleware });
    const { text } = await ai5.generateText({ model, tools, messages, stopWhen: ai5.stepCountIs(4) });
    expect(text).toBe(ANSWER);
    expectOneRecall();
  });
});

describe("LangChain", () => {
  const settings = { model: "claude-haiku-4-5", maxTokens: 500, apiKey: "key", maxRetries: 0 };

  test("an agent answers from what the folds of its thread hide", async () => {
    const engine = engineOf();
    const agent = createAgent({
      model: new ChatAnthropic({ ...settings, anthropicApiUrl: server.url }),
      tools: [langChain.palimpsestRecallTool({ engine, tool })],
      middleware: [langChain.palimpsestMiddleware({ engine })],
    });
    const { messages } = toLangChain(talkWithFact());
    const ended = await agent.invoke({ messages }, { configurable: { thread_id: "pumps" } });
    expect(ended.messages.at(-1)?.text).toBe(ANSWER);
    expectOneRecall();
  });
});
