/** How the properties of whole conversations run: with more time than others, and some of them less often. */
import fc from "fast-check";
import { isFull } from "../chaos/chaos-size.ts";
import { PROPERTY_RUNS } from "../support/property-runs.ts";

/** Ten times what they take: a busy machine must not decide how many cases are tried. */
const LIMIT_MS = 60_000 + 300 * PROPERTY_RUNS.numRuns;

/** `npm test` has to be done in minutes: of these it tries half. */
const SHORT_DIVISOR = isFull ? 1 : 2;

/**
 * The runs of a property, divided where one is expensive: it checks a view after each of a dozen steps. In `npm test` it is half of them.
 *
 * To shrink a failure takes long: what has been found when the time is up is told, which a test that timed out cannot.
 */
export function longRuns(divisor = 1) {
  const numRuns = Math.ceil(PROPERTY_RUNS.numRuns / divisor / SHORT_DIVISOR);
  return { ...PROPERTY_RUNS, numRuns, interruptAfterTimeLimit: LIMIT_MS };
}

/** Draws the known cases: which ones they are must never change from run to run. */
const KNOWN_SEED = 1;

/**
 * Cases that are the same in every run, tried before those of the run's seed.
 *
 * A property that also demands to have met something (a fold, a refusal) would be red by bad luck alone where few cases are tried: what the
 * known ones meet is certain.
 */
export function withKnownCases<Case>(
  runs: ReturnType<typeof longRuns>,
  { of, count }: { readonly of: fc.Arbitrary<Case>; readonly count: number },
) {
  const examples = fc.sample(of, { seed: KNOWN_SEED, numRuns: count }).map((each): [Case] => [each]);
  return { ...runs, numRuns: runs.numRuns + count, examples };
}

/** For the tests that use them. */
export const LONG_TIMEOUT_MS = LIMIT_MS + 300_000;
