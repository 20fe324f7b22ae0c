/**
 * What binds an agent stays visible, whole, in every request that was folded. PALIMPSEST_AGENTS_FIGURES names a file that the tables
 * are appended to, PALIMPSEST_AGENTS_CAPTURES a folder for requests as they were sent.
 */
import { afterAll, describe, expect, test } from "vitest";
import type { Agent, ProjectLayout } from "./agent.ts";
import { expectFewFolds, expectVisible, type Skip } from "./standing/expect-visible.ts";
import { runStanding, type StandingRun, type StandingRunOptions } from "./standing/run-standing.ts";
import { STANDING_AGENTS } from "./standing/standing-agents.ts";
import {
  addFolded,
  addLeast,
  addOwnSummary,
  addUnfolded,
  standingFigures,
  tellFigures,
} from "./standing/standing-figures.ts";
import { STANDING_ITEM_NAMES, type StandingItemName, sight } from "./standing/standing-items.ts";

const FOLDINGS = 5;
/** In the larger one the model says much: else results of tools alone make room. */
const WINDOWS = [
  { windowTokens: 60_000, maxNotes: 60, notesAtOnce: 1, remarkLines: 0 },
  { windowTokens: 200_000, maxNotes: 160, notesAtOnce: 2, remarkLines: 300 },
];
const SMALL = { windowTokens: 60_000, foldings: FOLDINGS, maxNotes: 60 };
const DIRECT = { windowTokens: undefined, foldings: 1, maxNotes: 10 };
/** More than an agent holds that believes in a window of 60,000 tokens. */
const SUMMARY_NOTES = 16;

/** In plan mode, and where it is continued, an agent is measured in a run of its own. */
const OF_OTHER_RUNS: readonly StandingItemName[] = ["plan mode", "newest request"];

describe.each(STANDING_AGENTS)("$name", (agent) => {
  const figures = standingFigures();
  afterAll(() => tellFigures(`${agent.name} ${agent.version}: ${agent.modelId}`, figures.text()));

  test("says all that binds it where there is no gateway", async ({ skip }) => {
    const run = await runStanding(agent, { ...DIRECT, skip });
    addUnfolded(figures, "without us", run);
    expect(run.run.exitCode).toBe(0);
    expect(run.failures).toEqual([]);
    expect(saidLines(run)).toMatchObject(agent.layout ? expectedLines(agent.layout) : {});
  });

  test("is measured after a summary of its own", async ({ skip }) => {
    if (agent.summarises === undefined) skip("it does not summarise without a person");
    const run = await runStanding(agent, { ...DIRECT, maxNotes: SUMMARY_NOTES, isSummarised: true, skip });
    addOwnSummary(figures, "own summary", run);
    expect(run.ownSummary).toBeDefined();
  });

  describe.each(WINDOWS)("in a window of $windowTokens tokens", ({ windowTokens, ...limits }) => {
    const captured = once(agent, { windowTokens, foldings: FOLDINGS, ...limits }, (run) =>
      addFolded(figures, `${windowTokens / 1_000}k`, run),
    );

    test("is folded five times, seldom, and ends its work", async ({ skip }) => {
      const { run, requests, failures, ...others } = await captured(skip);
      expect(run.exitCode).toBe(0);
      expect(failures).toEqual([]);
      expect(requests.at(-1)?.foldings).toBeGreaterThanOrEqual(FOLDINGS);
      expectFewFolds({ run, requests, failures, ...others });
    });

    test.for(STANDING_ITEM_NAMES.filter((name) => !OF_OTHER_RUNS.includes(name)))(
      "sees in every folded request: %s",
      async (name, { skip }) => expectVisible(await captured(skip), name, skip),
    );
  });

  test("sees in every folded request that it may only plan", async ({ skip }) => {
    if (agent.layout?.planMarker === undefined) skip("its plan mode takes a person");
    const run = await runStanding(agent, { ...SMALL, isPlanning: true, hasOpening: false, skip });
    addLeast(figures, "60k, plan mode", run);
    expect(run.requests.at(-1)?.foldings).toBeGreaterThan(0);
    expectVisible(run, "plan mode", skip);
    expectVisible(run, "guide to the project", skip);
  });

  test("sees in every folded request what the person asked first and last", async ({ skip }) => {
    if (agent.canContinue === false || !agent.canContinueAfterTools) skip("it is not continued without a person");
    const run = await runStanding(agent, { ...SMALL, pauseAfterNotes: 3, skip });
    addLeast(figures, "60k, continued", run);
    expect(run.requests.at(-1)?.foldings).toBeGreaterThan(0);
    expectVisible(run, "task and its rules", skip);
    expectVisible(run, "newest request", skip);
    expectVisible(run, "guide to the project", skip);
  });
});

/** What the last request says. */
function saidLines({ items, requests }: StandingRun): Readonly<Record<string, number>> {
  const last = requests.at(-1);
  if (last === undefined) return {};
  return Object.fromEntries(items.map((item) => [item.name, sight(item, last).said]));
}

function expectedLines({ skills, nestedGuide, agentType }: ProjectLayout): Partial<Record<StandingItemName, number>> {
  return {
    "task and its rules": 3,
    "guide to the project": 90,
    ...(skills === undefined ? {} : { "loaded skill": 60, "listing of skills": 14 }),
    ...(nestedGuide === undefined ? {} : { "guides in sub-folders": 36 }),
    ...(agentType === undefined ? {} : { "listing of agent types": 5 }),
  };
}

/** One run for all tests that look at it. */
function once(agent: Agent, options: Omit<StandingRunOptions, "skip">, whenDone: (run: StandingRun) => void) {
  let running: Promise<StandingRun> | undefined;
  return (skip: Skip) => {
    running ??= runStanding(agent, { ...options, skip }).then((run) => {
      whenDone(run);
      return run;
    });
    return running;
  };
}
