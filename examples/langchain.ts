/** An agent of LangChain's, in a window that it would overflow at turn ten. A scripted model on loopback answers, as strict as the real API. */
import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, tool } from "langchain";
import { createEngine } from "palimpsest";
import { palimpsestCheckpointer, palimpsestMiddleware } from "palimpsest/langchain";
import { memoryStore } from "palimpsest/stores/memory";
import { startModelServer } from "palimpsest/testing";
import { z } from "zod";

const server = await startModelServer({ contextWindow: 32_000 });
const calls = Array.from({ length: 30 }, (_, lamp) => [{ id: `call_${lamp}`, name: "read_log", input: { lamp } }]);
server.script(...calls.map((each) => ({ type: "tool-calls", calls: each }) as const));
const model = new ChatAnthropic({ model: "claude-sonnet-4-6", anthropicApiUrl: server.url, apiKey: "any" });

// Stands for your tools.
const readLog = tool(({ lamp }) => `lamp ${lamp}: switch off at ${lamp}:10. ${`lamp ${lamp} on, off. `.repeat(400)}`, {
  name: "read_log",
  schema: z.object({ lamp: z.number() }),
});

const store = memoryStore(); // or sqliteStore(), postgresStore(): then both outlive the process
const engine = createEngine({ model: "claude-sonnet-4-6", contextWindow: 32_000, store });
const middleware = [palimpsestMiddleware({ engine })];
const agent = createAgent({ model, tools: [readLog], middleware, checkpointer: palimpsestCheckpointer({ store }) });

const config = { configurable: { thread_id: "harbour-light" }, recursionLimit: 100 };
const ask = { role: "user", content: "Why does the light blink twice? Never switch off lamp 7." } as const;
const { messages } = await agent.invoke({ messages: [ask] }, config);
await server.close();

console.log(`${server.requests.length} requests, all ${[...new Set(server.requests.map(({ outcome }) => outcome))]}`);
console.log(`${Math.max(...server.requests.map(({ promptTokens }) => promptTokens)) < 32_000} that each fitted`);
console.log(`${messages.length} messages in the agent's state, none of them folded`);
const session = await engine.session("harbour-light"); // the session of the thread
console.log((await session.recall("switch off at 3:10"))[0]?.text.slice(0, 30));
