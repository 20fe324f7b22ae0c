import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const read = (path: string) => JSON.parse(readFileSync(join(repository, path), "utf8"));

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  /** Of another platform: npm saw no more of it than its version. */
  readonly optional?: boolean;
}

const locked: readonly (readonly [string, LockedPackage])[] = Object.entries(read("package-lock.json").packages);
const workspaces: readonly string[] = read("package.json").workspaces;
const isOurs = (path: string, { link }: LockedPackage) => path === "" || workspaces.includes(path) || link === true;

describe("the lockfile", () => {
  test("names no place to download from: each registry serves its own", () => {
    expect(locked.length).toBeGreaterThan(10);
    const addresses = locked.filter(([, { link, resolved }]) => link !== true && resolved !== undefined);
    expect(addresses.map(([path]) => path)).toEqual([]);
    expect(readFileSync(join(repository, "package-lock.json"), "utf8")).not.toMatch(
      /(?:https?|git(?:\+\w+)?):\/\/[^"]*\.tgz/,
    );
  });

  test("links only the workspaces", () => {
    const targets = locked.flatMap(([, { link, resolved }]) => (link === true ? [resolved] : []));
    expect(targets.toSorted()).toEqual(["", ...workspaces].toSorted());
  });

  test("has a version for everything else, and a checksum for all that every platform installs", () => {
    const foreign = locked.filter(([path, each]) => !isOurs(path, each));
    expect(foreign.filter(([, { version }]) => !version).map(([path]) => path)).toEqual([]);
    expect(foreign.filter(([, each]) => !each.integrity && !each.optional).map(([path]) => path)).toEqual([]);
  });
});

test.each(["package.json", ...workspaces.map((workspace) => `${workspace}/package.json`)])(
  "every version in %s is exact",
  (path) => {
    const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = read(path);
    const ranges = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^(?:(?:npm:@?[\w/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?|file:\.\.)$/.test(String(version)),
    );
    expect(ranges).toEqual([]);
  },
);
