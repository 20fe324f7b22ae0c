/**
 * How the property tests run. Each run draws new cases; to see a failure again, set the seed that its log names.
 * PALIMPSEST_PROPERTY_RUNS=25000 looks longer.
 */
export const PROPERTY_RUNS = {
  numRuns: Number(process.env.PALIMPSEST_PROPERTY_RUNS ?? 2_000),
  seed: Number(process.env.PALIMPSEST_PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31)),
};

console.log(`properties: ${PROPERTY_RUNS.numRuns} runs each, PALIMPSEST_PROPERTY_SEED=${PROPERTY_RUNS.seed}`);
