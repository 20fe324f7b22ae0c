/**
 * How the property tests run: on new cases each time, and in CI on new ones for each commit (see {@link choosePropertySeed}).
 * To see a failure again, set the seed that it names; PALIMPSEST_PROPERTY_RUNS=25000 looks longer, and
 * PALIMPSEST_PROPERTY_SHRINK=off shows a failure as it was found, at once.
 */
import { fileURLToPath } from "node:url";
import { choosePropertySeed } from "../../scripts/property-seed.ts";
import { PROPERTY_TRIES } from "../../scripts/test-selection.ts";

const { PALIMPSEST_PROPERTY_RUNS, PALIMPSEST_PROPERTY_SHRINK } = process.env;

const numRuns = Number(PALIMPSEST_PROPERTY_RUNS ?? PROPERTY_TRIES.short);

export const PROPERTY_RUNS = {
  numRuns,
  endOnFailure: PALIMPSEST_PROPERTY_SHRINK === "off",
  // To shrink a failure may take half an hour: what has been found by then is told.
  interruptAfterTimeLimit: 100_000 * Math.max(1, numRuns / PROPERTY_TRIES.short),
  seed: choosePropertySeed({ environment: process.env, folder: fileURLToPath(new URL("../..", import.meta.url)) }),
};

/** For a property that is expensive, or easy: so many runs where others have the usual number, and more or fewer in step with them. */
export function propertyRuns(numRuns: number) {
  const share = PROPERTY_RUNS.numRuns / PROPERTY_TRIES.usual;
  return { ...PROPERTY_RUNS, numRuns: Math.ceil(numRuns * share) };
}
