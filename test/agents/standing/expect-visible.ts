import { expect } from "vitest";
import type { StandingRun } from "./run-standing.ts";
import { accountedFor, leastSighting, type Sighting, type StandingItemName } from "./standing-items.ts";

export type Skip = (reason: string) => never;

/** Every folded request shows all that the agent says of it, or names the fold that hides the rest where one may. */
export function expectVisible(run: StandingRun, name: StandingItemName, skip: Skip): void {
  const sighting = leastOf(run, name) ?? skip("it says nothing of that kind");
  const { said } = sighting;
  expect.soft(accountedFor(sighting), `${name}: lines visible of ${said}, or in a fold that may hide them`).toBe(said);
}

/** In the folded request that shows the least of it. */
export function leastOf({ items, requests }: StandingRun, name: StandingItemName): Sighting | undefined {
  const item = items.find((each) => each.name === name);
  const folded = requests.filter(({ foldings }) => foldings > 0);
  return item && leastSighting(item, folded);
}

/** Each fold makes a provider read the whole prompt anew. */
export function expectFewFolds({ requests }: StandingRun): void {
  const foldings = requests.at(-1)?.foldings ?? 0;
  expect
    .soft(foldings * 3, `folded ${foldings} times in ${requests.length} requests`)
    .toBeLessThanOrEqual(requests.length);
}
