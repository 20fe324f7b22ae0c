/** An agent whose question only a fold can answer, by the official client of each API: it calls the recall tool and answers. */
import Anthropic from "@anthropic-ai/sdk";
import { type Content, GoogleGenAI } from "@google/genai";
import { OpenAI } from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isKnownBlock, type Message, type ToolUseBlock } from "../../src/core/message/message.ts";
import { spokenTexts } from "../../src/core/text/message-texts.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { type RecallTool, recallTool } from "../../src/index.ts";
import { fromAnthropic, fromGemini, fromOpenAiChat, fromOpenAiResponses } from "../../src/messages/index.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { HIDDEN_FACT, replyFromPrompt, sessionWithHiddenFact } from "../support/hidden-fact.ts";

interface Turn {
  readonly session: Session;
  readonly tool: RecallTool;
  readonly isStreaming: boolean;
}

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer({ reply: replyFromPrompt });
});

afterEach(() => server.close());

/** One call of the model by the official client of an API: what it says, as messages. */
const ASK = {
  anthropic: async ({ session, tool, isStreaming }) => {
    const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0 });
    const prompt = await session.prepare({ as: "anthropic" });
    const body = { model: "claude-haiku-4-5", max_tokens: 500, tools: [tool.as("anthropic")], ...prompt };
    const reply = isStreaming ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    return fromAnthropic([reply]);
  },
  "openai-chat": async ({ session, tool, isStreaming }) => {
    const client = new OpenAI({ baseURL: server.baseUrls.openai, apiKey: "key", maxRetries: 0 });
    const prompt = await session.prepare({ as: "openai-chat" });
    const body = { model: "gpt-5", tools: [tool.as("openai-chat")], ...prompt };
    const reply = isStreaming
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    return fromOpenAiChat(reply.choices.map(({ message }) => message));
  },
  "openai-responses": async ({ session, tool, isStreaming }) => {
    const client = new OpenAI({ baseURL: server.baseUrls["openai-responses"], apiKey: "key", maxRetries: 0 });
    const prompt = await session.prepare({ as: "openai-responses" });
    const body = { model: "gpt-5", store: false, tools: [tool.as("openai-responses")], ...prompt };
    const reply = isStreaming
      ? await client.responses.stream(body).finalResponse()
      : await client.responses.create(body);
    return fromOpenAiResponses(reply.output);
  },
  gemini: async ({ session, tool, isStreaming }) => {
    const { models } = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.url } });
    const { config, ...prompt } = await session.prepare({ as: "gemini" });
    const tools = [{ functionDeclarations: [tool.as("gemini")] }];
    const body = { model: "gemini-3-pro", ...prompt, config: { ...config, tools } };
    const contents: Content[] = [];
    if (!isStreaming) contents.push((await models.generateContent(body)).candidates?.[0]?.content ?? {});
    else {
      const parts = [];
      for await (const chunk of await models.generateContentStream(body)) {
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      }
      contents.push({ role: "model", parts });
    }
    return fromGemini(contents);
  },
} satisfies Readonly<Record<string, (turn: Turn) => Promise<readonly Message[]>>>;

const callsOf = (messages: readonly Message[]): readonly ToolUseBlock[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((block) => (isKnownBlock(block) && block.type === "tool_use" ? [block] : [])),
  );

describe.each(Object.entries(ASK))("%s", (_, ask) => {
  test.each([
    ["whole", false],
    ["streamed", true],
  ])("answers from what is hidden, with replies that come %s", async (_way, isStreaming) => {
    const session = await sessionWithHiddenFact();
    const tool = recallTool(session);
    const called: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const said = await ask({ session, tool, isStreaming });
      await session.append(...said);
      const calls = callsOf(said);
      if (calls.length === 0) break;
      for (const { id, name, input } of calls) {
        called.push(name);
        const content = await tool.execute(input);
        await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
      }
    }
    expect(called).toEqual(["recall"]);
    expect((await session.log()).slice(-1).flatMap(spokenTexts).join("")).toBe(`It is ${HIDDEN_FACT}.`);
    expect(server.requests.map(({ outcome, isStreaming: streamed }) => [outcome, streamed])).toEqual([
      ["answered", isStreaming],
      ["answered", isStreaming],
    ]);
  });
});
