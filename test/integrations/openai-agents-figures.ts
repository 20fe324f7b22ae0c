/** Prints how the agent of thirty turns fares with the OpenAI Agents SDK: `node test/integrations/openai-agents-figures.ts`. */
import { createEngine } from "../../src/index.ts";
import { palimpsestProvider } from "../../src/integrations/openai-agents/index.ts";
import { OPENAI_MODEL, openAiProvider, runAgent } from "./openai-agents-agent.ts";
import { CONTEXT_WINDOW, figuresOf, startThirtyTurns } from "./thirty-turns.ts";

const alone = await startThirtyTurns();
await runAgent({ provider: openAiProvider(alone.server, "openai-responses") });
console.log("without:", await figuresOf(alone));
await alone.server.close();

const ours = await startThirtyTurns();
const engine = createEngine({ model: OPENAI_MODEL, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 });
const provider = palimpsestProvider(openAiProvider(ours.server, "openai-responses"), { engine, sessionId: "rooms" });
await runAgent({ provider });
console.log("with:", await figuresOf(ours, await engine.session("rooms")));
await ours.server.close();
