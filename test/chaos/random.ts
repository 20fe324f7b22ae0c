import { hash } from "node:crypto";

/** Numbers from 0 up to, but not including, 1; the same ones for the same seed. */
export type Random = () => number;

export function seededRandom(...seed: readonly (string | number)[]): Random {
  let drawn = 0;
  return () => Number.parseInt(hash("sha256", `${seed.join(" ")} ${drawn++}`).slice(0, 12), 16) / 2 ** 48;
}

/** A whole number from `least` to `most`. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** One of the names, each as often as its weight says. */
export function pickWeighted<Name extends string>(
  random: Random,
  weights: Readonly<Partial<Record<Name, number>>>,
): Name {
  const names = Object.keys(weights).filter((name): name is Name => name in weights);
  const total = names.reduce((sum, name) => sum + (weights[name] ?? 0), 0);
  let left = random() * total;
  for (const name of names) {
    left -= weights[name] ?? 0;
    if (left < 0) return name;
  }
  throw new Error("Nothing can be picked: no weight is above 0.");
}
