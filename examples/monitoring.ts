import { createEngine, type Message, type ModelHandler, modelCondenser } from "palimpsest";

// A model that is down.
const broken: ModelHandler = {
  createMessage() {
    throw new Error("503 Service Unavailable");
  },
  getModel: () => ({ id: "claude-haiku-4-5" }),
};

const engine = createEngine({
  model: "claude-sonnet-4-5",
  contextWindow: 32_000,
  maxTokens: 4_000,
  condenser: modelCondenser(broken),
  configuration: { strategies: { primary: "llm" }, monitoring: { logging: true } },
  telemetry: [
    {
      onCondensationFailure: ({ strategy, error }) => console.log(`telemetry: ${strategy}: ${error}`),
      onCondensationSuccess: ({ strategy, taskId }) =>
        console.log(`telemetry: ${taskId} was condensed by the ${strategy}`),
      onFallbackToTruncation: ({ taskId }) => console.log(`telemetry: ${taskId} was truncated`),
    },
  ],
  log: (line) => {
    if (!line.endsWith("action=none")) console.log(line);
  },
});

const session = await engine.session("harbour-light");
await session.append({ role: "user", content: "Find out why the harbour light blinks twice." });
for (let turn = 1; turn <= 9; turn++) {
  await session.append(...readFile(turn));
  await session.prepare();
}

// Switch to a model with half the window: the next view fits it.
session.useModel({ model: "claude-haiku-4-5", contextWindow: 16_000, maxTokens: 4_000 });
const { report } = await session.prepare();
console.log(`fits ${report.contextWindow}: ${report.promptTokens <= report.allowedTokens}`);

for (const event of await session.events()) console.log(`event: ${event.type}`);
const { condensations, failures, fallbacks } = engine.getMetrics();
console.log(`metrics: ${condensations} condensations, ${failures} failures, ${fallbacks} fallbacks`);

function readFile(turn: number): readonly Message[] {
  const id = `t${turn}`;
  const content = `lamp-${turn}.log: on, off, on, off. `.repeat(240);
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: `lamp-${turn}.log` } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ];
}
