import { createModelHandler, ModelError } from "palimpsest/providers";
import { startModelServer } from "palimpsest/testing";

// A server on 127.0.0.1 that speaks the providers' protocols and refuses what they refuse. Nothing leaves the machine.
const server = await startModelServer({ contextWindow: 1_000 });

const handler = createModelHandler({
  model: "anthropic/claude-haiku-4-5",
  baseUrl: server.baseUrls.anthropic,
  apiKey: "any",
  retryDelayMs: 1,
});

// The reply comes in chunks. A passing failure before the first of them is tried again.
server.script(
  { type: "error", status: 529, message: "Overloaded" },
  { type: "text", text: "It blinks twice.", reasoning: "Once is a tug.", usage: { inputTokens: 40, outputTokens: 12 } },
);
await ask("Why does the harbour light blink twice?");
console.log(`requests: ${server.requests.map((request) => request.outcome).join(", ")}`);

// An error that another attempt would not fix is thrown.
server.script({ type: "error", status: 401, message: "invalid x-api-key" });
await ask("Why does the harbour light blink twice?");

// The server judges what it is sent: this prompt is larger than the window.
await ask("Why? ".repeat(2_000));
await server.close();

async function ask(content: string): Promise<void> {
  try {
    for await (const chunk of handler.createMessage("You are brief.", [{ role: "user", content }])) {
      if (chunk.type === "usage") console.log(`usage: ${chunk.outputTokens} tokens written, ${chunk.totalCost} USD`);
      if (chunk.type === "text" || chunk.type === "reasoning") console.log(`${chunk.type}: ${chunk.text}`);
    }
  } catch (error) {
    if (error instanceof ModelError) console.log(`${error.code}, status ${error.status}: ${error.message}`);
  }
}
