import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { createEngine } from "palimpsest";
import { palimpsestProvider, palimpsestSession } from "palimpsest/openai-agents";
import { startModelServer } from "palimpsest/testing";
import { z } from "zod";

setTracingDisabled(true);
// Stands in for OpenAI: a window of 16,000 tokens, and a model that reads twelve pages.
let page = 0;
const server = await startModelServer({
  contextWindow: 16_000,
  reply: () => {
    page += 1;
    if (page > 12) return { type: "text", text: "All pages are read." };
    return { type: "tool-calls", calls: [{ id: `call_${page}`, name: "read_page", input: { page } }] };
  },
});
const readPage = tool({
  name: "read_page",
  description: "Reads a page.",
  parameters: z.object({ page: z.number() }),
  execute: (input) => `Page ${input.page}. ${"The ship sails on. ".repeat(400)}`,
});
const agent = new Agent({ name: "Reader", model: "gpt-5.4", tools: [readPage] });
const client = new OpenAI({ baseURL: server.baseUrls["openai-responses"], apiKey: "key" });
const provider = new OpenAIProvider({ openAIClient: client });

// Palimpsest adds an engine, a provider whose models send prompts that fit, and a stored session.
const engine = createEngine({ model: "gpt-5.4", contextWindow: 16_000, maxTokens: 1_000 });
const runner = new Runner({ modelProvider: palimpsestProvider(provider, { engine, sessionId: "novel" }) });
const session = palimpsestSession({ engine, sessionId: "novel" });
const result = await runner.run(agent, "Read the pages 1 to 12.", { session, maxTurns: 20 });

console.log(`${result.finalOutput} ${server.requests.filter(({ outcome }) => outcome === "refused").length} refusals`);
console.log(
  `${(await session.getItems()).length} items, all whole; ${(await (await engine.session("novel")).folds()).length > 0}`,
);
await server.close();
