import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { choosePropertySeed } from "./property-seed.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that no repository is around. */
function packageFolder(version = "1.2.3"): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-seed-"));
  folders.push(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version }));
  return folder;
}

function commitIn(folder: string): void {
  const author = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
  const git = (...words: string[]) => execFileSync("git", [...author, ...words], { cwd: folder, stdio: "ignore" });
  git("init");
  git("commit", "--allow-empty", "--no-gpg-sign", "-m", `at ${process.hrtime.bigint()}`);
}

const inCi = (folder: string, more: Record<string, string> = {}) =>
  choosePropertySeed({ environment: { CI: "true", ...more }, folder });

describe("the seed of the property tests", () => {
  test("is in CI the same for the same commit, and another for the next", () => {
    const folder = packageFolder();
    commitIn(folder);
    const [once, again] = [inCi(folder), inCi(folder)];
    commitIn(folder);
    expect(again).toBe(once);
    expect(inCi(folder)).not.toBe(once);
  });

  test("is in CI of the commit that the environment names, or of the version, where there is no git", () => {
    const folder = packageFolder("1.2.3");
    expect(inCi(folder)).toBe(inCi(packageFolder("1.2.3")));
    expect(inCi(folder)).not.toBe(inCi(packageFolder("1.2.4")));
    const [one, other] = ["a1", "b2"].map((commit) => inCi(folder, { GITHUB_SHA: commit }));
    expect(new Set([one, other, inCi(folder)]).size).toBe(3);
  });

  test("is what a person sets, in CI too", () => {
    const folder = packageFolder();
    expect(inCi(folder, { PALIMPSEST_PROPERTY_SEED: "31" })).toBe(31);
    expect(choosePropertySeed({ environment: { PALIMPSEST_PROPERTY_SEED: "-7" }, folder })).toBe(-7);
    expect(() => inCi(folder, { PALIMPSEST_PROPERTY_SEED: "abc" })).toThrow(/whole number/);
  });

  test("is any elsewhere", () => {
    const folder = packageFolder();
    const seeds = Array.from({ length: 20 }, () => choosePropertySeed({ environment: {}, folder }));
    expect(new Set(seeds).size).toBeGreaterThan(1);
    for (const seed of seeds) expect(Number.isSafeInteger(seed) && seed >= 0).toBe(true);
  });

  test("is that of every property: none draws its cases otherwise", () => {
    const files = globSync("{src,test,bench,scripts}/**/*.ts", { cwd: PROJECT, exclude: ["**/node_modules"] });
    const texts = files.map((file) => ({ file, text: readFileSync(join(PROJECT, file), "utf8") }));
    const properties = texts.filter(({ text }) => text.includes("fc.assert" + "("));
    expect(properties.length).toBeGreaterThan(30);
    const without = properties.filter(({ text }) => !/PROPERTY_RUNS|propertyRuns|longRuns/.test(text));
    expect(without.map(({ file }) => file)).toEqual([]);
  });

  test("is told once in a run, and again by a property that fails", () => {
    const environment = { ...process.env, PALIMPSEST_PROPERTY_SEED: "4711", PALIMPSEST_PROPERTY_RUNS: "5" };
    const vitest = join(PROJECT, "node_modules/vitest/vitest.mjs");
    const chosen = ["run", "--config", "test/support/failing-property/vitest.config.ts"];
    const { stdout, stderr } = spawnSync(process.execPath, [vitest, ...chosen], {
      cwd: PROJECT,
      env: environment,
      encoding: "utf8",
    });
    expect(stdout.match(/PALIMPSEST_PROPERTY_SEED=4711/g)).toHaveLength(1);
    expect(`${stdout}${stderr}`).toMatch(/Property failed.*\n.*seed: 4711/);
  });
});
