/** An agent on the AI SDK, in a window that it would overflow at turn ten. A scripted model on loopback answers, as strict as the real API. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { createEngine } from "palimpsest";
import { palimpsestMiddleware } from "palimpsest/ai-sdk";
import { startModelServer } from "palimpsest/testing";
import { z } from "zod";

const server = await startModelServer({ contextWindow: 32_000 });
const calls = Array.from({ length: 30 }, (_, lamp) => [{ id: `call_${lamp}`, name: "readLog", input: { lamp } }]);
server.script(...calls.map((each) => ({ type: "tool-calls", calls: each }) as const));
const anthropic = createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "any" });

const engine = createEngine({ model: "claude-sonnet-4-6", contextWindow: 32_000 });
const session = await engine.session("harbour-light");
const middleware = palimpsestMiddleware({ session });
const model = wrapLanguageModel({ model: anthropic("claude-sonnet-4-6"), middleware });

// Stands for your tools.
const readLog = tool({
  inputSchema: z.object({ lamp: z.number() }),
  execute: ({ lamp }) => `lamp ${lamp}: switch off at ${lamp}:10. ${`lamp ${lamp} on, off. `.repeat(400)}`,
});
const prompt = "Why does the light blink twice? Never switch off lamp 7.";
const result = await generateText({ model, prompt, tools: { readLog }, stopWhen: stepCountIs(40) });
await server.close();

console.log(`${server.requests.length} requests, all ${[...new Set(server.requests.map(({ outcome }) => outcome))]}`);
console.log(`${Math.max(...server.requests.map(({ promptTokens }) => promptTokens)) < 32_000} that each fitted`);
console.log(`${JSON.stringify(result.responseMessages).length > 200_000} that the SDK still has all of it`);
console.log((await session.recall("switch off at 3:10"))[0]?.text.slice(0, 30));
