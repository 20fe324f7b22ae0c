import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Under `CI` a run is repeatable: the same commit gives the same cases, and each commit gives new ones. */
export interface SeedSource {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The repository; `GITHUB_SHA` and then the package's version stand for the commit where it has no git. */
  readonly folder: string;
}

const SEEDS = 2 ** 31;

/** The seed of a whole run of property tests: as a person set it, or of the commit, or any. */
export function choosePropertySeed({ environment, folder }: SeedSource): number {
  const given = environment.PALIMPSEST_PROPERTY_SEED;
  if (given !== undefined && given !== "") return readSeed(given);
  return environment.CI ? seedOf(commitOf({ environment, folder })) : Math.floor(Math.random() * SEEDS);
}

function readSeed(given: string): number {
  const seed = Number(given);
  if (Number.isSafeInteger(seed)) return seed;
  throw new Error(`PALIMPSEST_PROPERTY_SEED is ${JSON.stringify(given)}. Set it to a whole number, or leave it out.`);
}

function seedOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE() % SEEDS;
}

function commitOf({ environment, folder }: SeedSource): string {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return environment.GITHUB_SHA || version;
  }
}
