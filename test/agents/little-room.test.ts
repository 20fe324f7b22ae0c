/** Agents in windows that their own instructions and tools nearly fill. */
import { afterAll, describe, expect, test } from "vitest";
import { expectFewFolds, expectVisible } from "./standing/expect-visible.ts";
import { runStanding } from "./standing/run-standing.ts";
import { STANDING_AGENTS } from "./standing/standing-agents.ts";
import { addLeast, standingFigures, tellFigures } from "./standing/standing-figures.ts";

const WINDOWS = [24_000, 32_000, 60_000];
/** About 1,200 tokens in each note. */
const SMALL_STEPS = { noteLines: 60, maxNotes: 40, foldings: Number.POSITIVE_INFINITY, hasOpening: false };
const ITEMS = ["task and its rules", "guide to the project", "newest result"] as const;
/** Of the window: where an agent alone takes more, it cannot work. */
const MOST_OF_ITS_OWN = 0.75;
/** Where it takes no more than that, it need not be folded often. */
const ROOMY = 0.6;

describe.each(STANDING_AGENTS)("$name", (agent) => {
  const figures = standingFigures();
  afterAll(() => tellFigures(`${agent.name} ${agent.version}: ${agent.modelId}, in little room`, figures.text()));
  const windows = [...new Set([...WINDOWS, agent.tightWindowTokens])].toSorted((one, other) => one - other);

  test.for(windows)("sees its task, the guide and the newest result in %i tokens", async (windowTokens, { skip }) => {
    const run = await runStanding(agent, { ...SMALL_STEPS, windowTokens, skip });
    const { ownTokens } = run;
    if (ownTokens > windowTokens * MOST_OF_ITS_OWN) skip(`its instructions and tools take ${ownTokens} tokens`);
    addLeast(figures, `${windowTokens / 1_000}k`, run);
    expect(run.failures).toEqual([]);
    expect(run.run.exitCode).toBe(0);
    expect(run.requests.at(-1)?.foldings).toBeGreaterThan(0);
    for (const name of ITEMS) expectVisible(run, name, skip);
    if (windowTokens >= agent.tightWindowTokens || ownTokens <= windowTokens * ROOMY) expectFewFolds(run);
  });
});
