/** How the properties of whole conversations run: with more time than others, and some of them less often. */
import { PROPERTY_RUNS } from "../support/property-runs.ts";

/** Ten times what they take: a busy machine must not decide how many cases are tried. */
const LIMIT_MS = 60_000 + 300 * PROPERTY_RUNS.numRuns;

/**
 * The runs of a property, divided where one is expensive: it checks a view after each of a dozen steps.
 *
 * To shrink a failure takes long: what has been found when the time is up is told, which a test that timed out cannot.
 */
export function longRuns(divisor = 1) {
  const numRuns = Math.ceil(PROPERTY_RUNS.numRuns / divisor);
  return { ...PROPERTY_RUNS, numRuns, interruptAfterTimeLimit: LIMIT_MS };
}

/** For the tests that use them. */
export const LONG_TIMEOUT_MS = LIMIT_MS + 30_000;
