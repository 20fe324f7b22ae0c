/** An agent on Anthropic's own client, in a window that it would overflow at turn ten. A scripted model on loopback answers, as strict as the real API. */
import Anthropic from "@anthropic-ai/sdk";
import { countMessagesTokens, createEngine, type Message } from "palimpsest";
import { fromAnthropic } from "palimpsest/messages";
import { startModelServer } from "palimpsest/testing";

const server = await startModelServer({ contextWindow: 32_000 });
server.script(
  ...Array.from({ length: 30 }, (_, turn) => ({
    type: "tool-calls" as const,
    calls: [{ id: `call_${turn}`, name: "read_log", input: { lamp: turn } }],
  })),
);
const client = new Anthropic({ baseURL: server.url, apiKey: "any" });
const tools = [{ name: "read_log", input_schema: { type: "object" as const } }];

const model = "claude-sonnet-4-6";
const systemPrompt = "You look after the lights of a harbour.";

const session = await createEngine({ model, contextWindow: 32_000 }).session("harbour", { systemPrompt, tools });
await session.append({ role: "user", content: "Why does the light blink twice? Never switch off lamp 7." });
for (let turn = 0; turn < 30; turn++) {
  const prompt = await session.prepare({ as: "anthropic" }); // fits the window, and the API takes it
  const reply = await client.messages.create({ model, max_tokens: 1_000, tools, ...prompt });
  session.observe(reply.usage);
  await session.append(...fromAnthropic([reply]), readLog(turn));
}
console.log(`${server.requests.length} requests, all ${[...new Set(server.requests.map(({ outcome }) => outcome))]}`);
await server.close();

const [log, { report }] = [await session.log(), await session.prepare()];
const thousands = (tokens: number) => `${Math.round(tokens / 1_000)}k`;
console.log(`${thousands(countMessagesTokens(log))} tokens were said, ${thousands(report.promptTokens)} are sent`);
console.log((await session.recall("switch off at 3:10"))[0]?.text.slice(0, 40));

// Stands for your tools.
function readLog(turn: number): Message {
  const content = `lamp ${turn}: switch off at ${turn}:10, on at ${turn}:20. ${`lamp ${turn} on, off. `.repeat(400)}`;
  return { role: "user", content: [{ type: "tool_result", tool_use_id: `call_${turn}`, content }] };
}
