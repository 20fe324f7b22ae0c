/**
 * How the property tests run: on new cases each time, except in CI, where a red run should be about the change alone.
 * To see a failure again, set the seed that its log names; PALIMPSEST_PROPERTY_RUNS=25000 looks longer, and
 * PALIMPSEST_PROPERTY_SHRINK=off shows a failure as it was found, at once.
 */
const { PALIMPSEST_PROPERTY_RUNS, PALIMPSEST_PROPERTY_SEED, PALIMPSEST_PROPERTY_SHRINK, CI } = process.env;

export const PROPERTY_RUNS = {
  numRuns: Number(PALIMPSEST_PROPERTY_RUNS ?? 2_000),
  endOnFailure: PALIMPSEST_PROPERTY_SHRINK === "off",
  seed: Number(PALIMPSEST_PROPERTY_SEED ?? (CI ? 1 : Math.floor(Math.random() * 2 ** 31))),
};

console.log(`properties: ${PROPERTY_RUNS.numRuns} runs each, PALIMPSEST_PROPERTY_SEED=${PROPERTY_RUNS.seed}`);
