import { countMessagesTokens, createEngine, type Message, modelCondenser } from "palimpsest";
import { createModelHandler } from "palimpsest/providers";
import { startModelServer } from "palimpsest/testing";

// A scripted model on loopback writes the summaries, so that this runs offline. To ask the real one:
// createModelHandler("anthropic/claude-haiku-4-5"), with your key in ANTHROPIC_API_KEY.
const summary =
  "The person asked why the harbour light blinks twice, and said: never switch off lamp-7. The logs from lamp-1.log on were " +
  "read one after the other and show no fault so far; the next step is to read the log that follows.";
const server = await startModelServer({ reply: () => ({ type: "text", text: summary }) });
const baseUrl = server.baseUrls.anthropic;
const handler = createModelHandler({ model: "anthropic/claude-haiku-4-5", baseUrl, apiKey: "any" });

const engine = createEngine({
  model: "claude-sonnet-4-5",
  contextWindow: 32_000, // less than it has, to be full soon
  maxTokens: 4_000,
  condenser: modelCondenser(handler),
  configuration: { strategies: { primary: "llm" } },
});
const session = await engine.session("harbour-light", { systemPrompt: "You look after the lights of a harbour." });

// The agent's loop.
await session.append({ role: "user", content: "Why does the light blink twice? Never switch off lamp-7." });
for (let turn = 1; turn <= 20; turn++) {
  const { messages, report } = await session.prepare(); // send these: they fit, and the provider will accept them
  const reply = await askYourModel(messages, turn);
  session.observe(reply.usage); // what the provider counted: the next forecast starts from it
  await session.append(...reply.messages);
  if (report.foldIds.length > 0) {
    console.log(`turn ${turn}: ${thousands(report.prevContextTokens)} → ${thousands(report.promptTokens)} tokens`);
  }
}
await server.close();

// Nothing is lost: undo the folds, and the whole log is visible again.
for (const fold of await session.folds()) {
  console.log(`restoring ${fold.kind}: ${fold.messages} messages`);
  await session.restore(fold.foldId);
}
console.log(`${(await session.view()).length} of ${(await session.log()).length} messages visible`);

// Stands for your model and your tools: one more file is read.
async function askYourModel(view: readonly Message[], turn: number) {
  const path = `lamp-${turn}.log`;
  const content = `${path}: on, off, on, off. `.repeat(240);
  const messages: readonly Message[] = [
    { role: "assistant", content: [{ type: "tool_use", id: `t${turn}`, name: "read_file", input: { path } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${turn}`, content }] },
  ];
  return { messages, usage: { inputTokens: Math.round(1.2 * countMessagesTokens(view)) } };
}

function thousands(tokens: number): string {
  return `${Math.round(tokens / 1_000)}k`;
}
