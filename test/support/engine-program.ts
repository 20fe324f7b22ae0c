/** A program that uses the root as an agent would, and leaves what came of it, or what went wrong, in `outcome`. */
export const ENGINE_PROGRAM = `
import { compact, countMessagesTokens, createEngine, modelCondenser } from "palimpsest";

const handler = {
  getModel: () => ({ id: "claude-haiku-4-5", contextWindow: 200000, maxTokens: 4000 }),
  async *createMessage() { yield { type: "text", text: "What was done: files were read, one after the other. " .repeat(5) }; },
};
const turn = (number) => [
  { role: "user", content: "Read file " + number + ": " + "word ".repeat(400) },
  { role: "assistant", content: "File " + number + " is read. " + "It says so. ".repeat(40) },
];
const log = Array.from({ length: 40 }, (_, number) => turn(number)).flat();

async function run(condenser) {
  const engine = createEngine({ model: "claude-sonnet-4-5", contextWindow: 20000, maxTokens: 1000, condenser });
  const session = await engine.session("task");
  for (const message of log) await session.append(message);
  const { messages, report } = await session.prepare();
  await session.condense();
  const hits = await session.recall("file 3");
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { sent: messages.length, fits: countMessagesTokens(messages) < 20000, found: hits.length > 0, type: report.type };
}

globalThis.outcome = (async () => ({
  compacted: compact(log, 5000).tokens <= 5000,
  withoutModel: await run(undefined),
  withModel: await run(modelCondenser(handler)),
}))();
`;
