import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { createEngine } from "palimpsest";
import { fromAnthropic, fromGemini } from "palimpsest/messages";
import { startModelServer } from "palimpsest/testing";

// Stands in for the providers, and refuses what they would refuse.
const server = await startModelServer();
server.script(
  {
    type: "tool-calls",
    reasoning: "I look it up.",
    calls: [{ id: "toolu_1", name: "read", input: { path: "log.txt" } }],
  },
  { type: "text", text: "Two blinks." },
);
const model = "claude-haiku-4-5";
const client = new Anthropic({ baseURL: server.url, apiKey: "key" });
const tools: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object" } }];

const session = await createEngine({ model }).session("harbour", { systemPrompt: "Be brief.", tools });
await session.append({ role: "user", content: "How often does the light blink?" });

// The prompt has the client's form, the system prompt included. Its report is not enumerable, so a spread omits it.
const prompt = await session.prepare({ as: "anthropic" });
const reply = await client.messages.create({ model, max_tokens: 1_000, tools, ...prompt });
console.log(`${prompt.report.promptTokens > 0}, ${reply.stop_reason}`);

// Pass a reply as a list of one. Its id, its usage and other fields of the client are left out.
await session.append(...fromAnthropic([reply]));
await session.append({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "blinks: 2" }],
});

// The same session goes on with another provider: blocks that only Anthropic can read are left out; the calls stay.
const ai = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.url } });
const next = await session.prepare({ as: "gemini" });
const declarations = [{ functionDeclarations: [{ name: "read" }] }];
const answer = await ai.models.generateContent({
  model: "gemini-3-pro",
  ...next,
  config: { ...next.config, tools: declarations },
});
await session.append(...fromGemini(answer.candidates?.map(({ content = {} }) => content) ?? []));
console.log(JSON.stringify((await session.log()).at(-1)?.content));
console.log(`${server.requests.map(({ outcome }) => outcome)}`);
await server.close();
