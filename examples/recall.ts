/** An agent that answers from hidden messages: it calls the recall tool. A scripted model on loopback answers, as strict as the real API. */
import Anthropic from "@anthropic-ai/sdk";
import { createBareEngine, type Message, recallTool } from "palimpsest";
import { fromAnthropic } from "palimpsest/messages";
import { startModelServer } from "palimpsest/testing";

// The model knows what it is sent, and nothing else.
const server = await startModelServer({
  reply: ({ rawBody }) => {
    const serial = /Lamp 3 has serial (\d+)/.exec(rawBody)?.[1];
    return serial === undefined
      ? { type: "tool-calls", calls: [{ id: "call_1", name: "recall", input: { query: "serial of lamp 3" } }] }
      : { type: "text", text: `Lamp 3 has serial ${serial}.` };
  },
});
const client = new Anthropic({ baseURL: server.url, apiKey: "any" });
const messages = Array.from({ length: 80 }, (_, lamp): readonly Message[] => [
  { role: "user", content: "Look at the next lamp." },
  { role: "assistant", content: `Lamp ${lamp} has serial ${lamp * 7919}. ${"It is on. ".repeat(60)}` },
]).flat();

const engine = createBareEngine({ model: "claude-haiku-4-5", contextWindow: 8_000, maxTokens: 1_000 });
const session = await engine.session("harbour-light", { messages });
const recall = recallTool(session);
const tools = [recall.as("anthropic")];
session.usePrompt({ tools });

await session.append({ role: "user", content: "Which serial has lamp 3?" });
for (let turn = 0; turn < 5; turn++) {
  const prompt = await session.prepare({ as: "anthropic" });
  const reply = await client.messages.create({ model: "claude-haiku-4-5", max_tokens: 1_000, tools, ...prompt });
  await session.append(...fromAnthropic([reply]));
  for (const block of reply.content) {
    if (block.type === "text") console.log(block.text);
    if (block.type !== "tool_use") continue;
    const content = await recall.execute(block.input);
    // The line above an excerpt says where it comes from.
    console.log(content.split("\n").find((_, at, lines) => lines[at + 1]?.startsWith("Lamp 3 ")));
    await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: block.id, content }] });
  }
  if (reply.stop_reason !== "tool_use") break;
}
await server.close();
