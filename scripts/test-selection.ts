/** Which test files run where, as data for `vitest.config.ts` and `scripts/test.ts`. */

export const TEST_FILES = "{src,test,scripts,bench,dashboard}/**/*.test.ts";

/**
 * Test files share their modules, which saves loading them, and the vocabulary, for each file. These have a process to themselves: they
 * set variables or clocks of the process, look at its timers, its memory or its output, or have a browser.
 */
export const ISOLATED: readonly string[] = [
  "src/checkpoints/{folders,persons-repository}.test.ts",
  "src/cli/commands/{run,run-files,up}.test.ts",
  "src/cli/gateway/gateway-files.test.ts",
  "src/cli/terminal/progress.test.ts",
  "src/engine/chat-compression-faults.test.ts",
  "src/engine/manage-context-limits.test.ts",
  "src/engine/condense/{hooks,hostile-plugins}.test.ts",
  "src/engine/model/{ask-model,handler-gauge}.test.ts",
  "src/gateway/api/refusals.test.ts",
  "src/gateway/api/events.test.ts",
  "src/gateway/api/events/event-streams.test.ts",
  "src/gateway/http/hold-reply.test.ts",
  "src/gateway/telemetry/*.test.ts",
  "src/providers/ai-sdk/create-model-handler.test.ts",
  "src/stores/sqlite/files.test.ts",
  "test/browser/*.test.ts",
];

/**
 * They share processes of their own, which stay small. Some start many short processes: to do so from a process that has run hundreds of
 * files costs it milliseconds of page faults each time, which was four fifths of the processor's time of the checkpoints' tests. Others
 * run commands of the program, with variables that they set and put back.
 */
export const SMALL_PROCESSES: readonly string[] = [
  "scripts/property-seed.test.ts",
  "src/checkpoints/!(folders|persons-repository).test.ts",
  "src/cli/commands/!(run|run-files|up).test.ts",
  "src/engine/agent/checkpoint-agent.test.ts",
  "src/engine/tools/load-compilers.test.ts",
  "src/stores/postgres/connection-{faults,pool}.test.ts",
  "test/e2e/{cli,examples,gateway-files,mcp-stdio,quoted-commands}.test.ts",
];

/** They take minutes, or start many processes: `npm run test:chaos` alone runs them. What they hold, others hold in a short form. */
export const LONG: readonly string[] = [
  "src/checkpoints/diff.test.ts",
  "src/checkpoints/many-files.test.ts",
  "src/checkpoints/many-processes.test.ts",
  "src/checkpoints/prune.test.ts",
  "src/checkpoints/skipped.test.ts",
  "src/cli/commands/run-files.test.ts",
  "src/cli/gateway/gateway-files.test.ts",
  "src/core/tokens/o200k/character-classes.test.ts",
  "src/integrations/ai-sdk/side-by-side.test.ts",
  "src/stores/sqlite/processes.test.ts",
  "test/chaos/after-load.test.ts",
  "test/chaos/agent-soak.test.ts",
  "test/chaos/crash-postgres.test.ts",
  "test/chaos/damage-sqlite.test.ts",
  "test/chaos/fault-table.test.ts",
  "test/chaos/fleet.test.ts",
  "test/chaos/frozen-store.test.ts",
  "test/chaos/full-disk.test.ts",
  "test/chaos/kill-postgres.test.ts",
  "test/chaos/kill-sqlite.test.ts",
  "test/chaos/many-writers.test.ts",
  "test/chaos/mcp-conformance.test.ts",
  "test/e2e/cli-demo.test.ts",
  "test/e2e/cli-sessions.test.ts",
  "test/e2e/commands.test.ts",
  "test/e2e/every-shared-file.test.ts",
  "test/e2e/gateway-cut-recall.test.ts",
  "test/e2e/gateway-files-faults.test.ts",
  "test/e2e/gateway-late-streams.test.ts",
  "test/e2e/gateway-recall-faults.test.ts",
  "test/e2e/gateway-recall-life.test.ts",
  "test/e2e/gateway-restart.test.ts",
  "test/e2e/gateway-shared-store.test.ts",
  "test/e2e/setup.test.ts",
  "test/integrations/langchain-side-by-side.test.ts",
  "test/integrations/mastra-side-by-side.test.ts",
  "test/integrations/openai-agents-side-by-side.test.ts",
  "test/package/bundle.test.ts",
  "test/package/package.test.ts",
  "test/package/runtimes.test.ts",
];

/** Real agents are installed from the registry and take their time: `npm run test:agents` alone runs them. */
export const AGENTS: readonly string[] = ["test/agents/**"];

/** What `npm run test:chaos` runs, as parts of paths: chaos and everything long, and in their full sizes what `npm test` has in short. */
export const CHAOS_FILTERS: readonly string[] = [
  ...LONG,
  "test/chaos",
  "properties",
  "src/cli/commands/run.test",
  "src/core/bad-logs",
  "src/core/message/units",
  "src/core/recall/terms",
  "src/core/tokens/o200k/growth",
  "src/core/truncate/clear-tool-results",
  "src/core/truncate/dedupe-tool-results",
  "src/core/truncate/truncate-conversation",
  "src/engine/condense/run-requests",
  "src/engine/session/saved-states",
  "src/engine/session/view-repair",
  "test/browser/dashboard-hostile",
  "test/browser/dashboard-story",
  "test/e2e/examples",
  "test/e2e/gateway-cache",
  "test/e2e/gateway-damaged",
  "test/e2e/gateway-files",
  "test/e2e/gateway-repeats",
  "test/e2e/gateway-requests",
  "test/e2e/gateway-room",
  "test/e2e/gateway-sessions",
  "test/e2e/gateway-summaries",
  "test/e2e/gateway-together",
  "test/e2e/recall-doors",
  "test/integrations/langgraph-checkpointer",
  "test/integrations/mastra.test",
  "test/integrations/openai-agents.test",
];

/** `npm test`, `npm run test:chaos` or `npm run test:agents`. */
export type TestRun = "short" | "chaos" | "agents";

export interface TestProject {
  readonly name: "shared" | "small" | "isolated";
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Who runs which files; what a run does not choose by a filter is up to it. */
export function testProjects(run: TestRun): readonly TestProject[] {
  const leftOut = [...(run === "chaos" ? [] : LONG), ...(run === "agents" ? [] : AGENTS)];
  return [
    { name: "shared", include: [TEST_FILES], exclude: [...ISOLATED, ...SMALL_PROCESSES, ...leftOut] },
    { name: "small", include: SMALL_PROCESSES, exclude: leftOut },
    { name: "isolated", include: ISOLATED, exclude: leftOut },
  ];
}

/** How often a property is tried in `npm test`, and in `npm run test:chaos`; those that name a number of their own are written for `usual`. */
export const PROPERTY_TRIES = { short: 150, usual: 400, full: 2_000 } as const;
