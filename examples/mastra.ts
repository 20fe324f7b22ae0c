/** An agent of Mastra's, in a window that it would overflow at turn ten. A scripted model on loopback answers, as strict as the real API. */
import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import { createEngine } from "palimpsest";
import { palimpsestProcessor } from "palimpsest/mastra";
import { startModelServer } from "palimpsest/testing";
import { z } from "zod";

const server = await startModelServer({ contextWindow: 32_000 });
const calls = Array.from({ length: 30 }, (_, lamp) => [{ id: `call_${lamp}`, name: "readLog", input: { lamp } }]);
server.script(...calls.map((each) => ({ type: "tool-calls", calls: each }) as const));
const model = { id: "openai/gpt-5.4", url: server.baseUrls.openai, apiKey: "any" } as const;

// Stands for your tools, and MockMemory for your memory.
const readLog = createTool({
  id: "readLog",
  description: "Reads the log of a lamp.",
  inputSchema: z.object({ lamp: z.number() }),
  execute: async ({ lamp }) => `lamp ${lamp}: switch off at ${lamp}:10. ${`lamp ${lamp} on, off. `.repeat(400)}`,
});
const [memory, tools] = [new MockMemory(), { readLog }];
const agent = { id: "keeper", name: "Keeper", instructions: "Be brief.", model, memory, tools };

const engine = createEngine({ model: "gpt-5.4", contextWindow: 32_000, maxTokens: 4_000 });
const inputProcessors = [palimpsestProcessor({ engine })];
const keeper = new Agent({ ...agent, inputProcessors });

const thread = { thread: "harbour-light", resource: "keeper" };
await keeper.generate("Why does the light blink twice?", { memory: thread, maxSteps: 40 });
await server.close();

console.log(`${server.requests.length} requests, all ${[...new Set(server.requests.map(({ outcome }) => outcome))]}`);
console.log(`${Math.max(...server.requests.map(({ promptTokens }) => promptTokens)) < 32_000} that each fitted`);
const { messages } = await memory.recall({ threadId: "harbour-light" });
console.log(`${JSON.stringify(messages).length > 200_000} that Mastra's memory still has all of it`);
const session = await engine.session("harbour-light"); // the session of the thread
console.log((await session.recall("switch off at 3:10"))[0]?.text.slice(0, 30));
