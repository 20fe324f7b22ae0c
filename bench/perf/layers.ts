/** What an agent's loop costs beside the model: the context of a large state, and the choice among many tools. */
import {
  addKnowledge,
  addObservation,
  ContextBuilder,
  createInitialState,
  type LayeredState,
  learnFact,
  projectTools,
  recordEpisode,
  serializeState,
  type ToolDefinition,
} from "palimpsest/agent";
import { countTextTokens } from "palimpsest/core";

const STATE_TOKENS = 100_000;
const TOOLS = 500;
const RUNS = 1_000;
const TARGETS_MS = { build: 20, project: 2 };

export function benchLayers(): void {
  const state = largeState();
  const tokens = countTextTokens(serializeState(state));
  console.log(`\nThe layers of an agent, ${RUNS} runs, times in ms`);
  console.log(row("", "first", "p50", "p95", "target"));
  for (const totalTokens of [4_000, 50_000]) {
    const builder = new ContextBuilder({ totalTokens, now: () => 1_000_000, modelId: "claude-sonnet-4-5" });
    const times = measure((run) => builder.build(withNews(state, run)));
    console.log(row(`build() of ${tokens} tokens into ${totalTokens}`, ...times, `< ${TARGETS_MS.build}`));
  }
  const tools = manyTools();
  const situation = { phase: "executing", permissions: ["read", "write", "execute"], environment: "dev" } as const;
  let previous = projectTools(situation, tools, { unlistedTools: "show" });
  const times = measure(() => {
    previous = projectTools(situation, tools, { unlistedTools: "show", previous });
  });
  console.log(row(`projectTools() of ${TOOLS}`, ...times, `< ${TARGETS_MS.project}`));
  const lists = { paths: ["src", "test"], commands: ["npm test", "npm run check"] };
  const production = { ...situation, environment: "prod" } as const;
  const narrowed = measure(() => projectTools(production, tools, { unlistedTools: "show", allowLists: lists }));
  console.log(row("the same, narrowed for production", ...narrowed, `< ${TARGETS_MS.project}`));
}

/** Facts, knowledge, episodes and observations, until there are so many tokens of them. */
function largeState(): LayeredState {
  let state = createInitialState("Rotate the keys of the gateway every day without losing a session.");
  for (let entry = 0, tokens = 0; tokens < STATE_TOKENS; entry++) {
    const content = `Entry ${entry}: the gateway of region ${entry % 17} rotates key ${entry * 31} at ${entry % 24}:00, ${WORDS.repeat(2)}`;
    tokens += 2 * countTextTokens(content);
    state = learnFact(state, {
      ...{ id: `fact-${entry}`, at: entry, content, source: `log ${entry}` },
      ...{ confidence: (entry % 10) / 10, isVerified: entry % 3 > 0 },
    });
    state = addKnowledge(state, { id: `knowledge-${entry}`, topic: `region ${entry % 17}`, content });
  }
  for (let entry = 0; entry < 50; entry++) {
    const content = `Summary ${entry}: keys of region ${entry} were rotated. ${WORDS}`;
    state = recordEpisode(state, { type: "summary", id: `summary-${entry}`, at: entry, content });
  }
  return state;
}

const WORDS = "sessions that were open stayed open and nobody noticed; ";

/** As in a loop: something was seen since the last time. */
function withNews(state: LayeredState, run: number): LayeredState {
  return addObservation(state, {
    id: `seen-${run}`,
    at: 999_000,
    source: "read_file",
    content: `line ${run} ${WORDS}`,
  });
}

function manyTools(): readonly ToolDefinition[] {
  return Array.from({ length: TOOLS }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does the thing number ${index} to a file, carefully, and tells what came of it.`,
    permissions: [index % 3 === 0 ? "write" : "read"],
    priority: index % 50,
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, lines: { type: "array", items: { type: "string" } } },
      required: ["path"],
    },
  }));
}

function measure(work: (run: number) => unknown): readonly [first: string, p50: string, p95: string] {
  const times = Array.from({ length: RUNS }, (_, run) => {
    const start = performance.now();
    work(run);
    return performance.now() - start;
  });
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => milliseconds(sorted[Math.floor(share * (sorted.length - 1))]);
  return [milliseconds(times[0]), at(0.5), at(0.95)];
}

function milliseconds(value = Number.NaN): string {
  return value.toFixed(2);
}

function row(name: string, ...cells: readonly string[]): string {
  return name.padEnd(44) + cells.map((cell) => cell.padStart(10)).join("");
}
