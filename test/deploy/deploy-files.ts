/** The files of deploy/, read, and the programs of others that look at them. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

export const REPOSITORY = resolve(import.meta.dirname, "../..");
export const DEPLOY = resolve(REPOSITORY, "deploy");

export function deployText(path: string): string {
  return readFileSync(resolve(DEPLOY, path), "utf8");
}

// biome-ignore lint/suspicious/noExplicitAny: files of other programs' formats; the tests say what they expect of them
export function deployYaml(path: string): any {
  return parse(deployText(path), { merge: true });
}

/** Every document of a text that is not empty; throws at the first thing that is no YAML. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function documentsOf(text: string): readonly any[] {
  return parseAllDocuments(text).flatMap((document) => {
    if ("errors" in document && document.errors.length > 0) throw document.errors[0];
    const value: unknown = "toJS" in document ? document.toJS() : undefined;
    return value === null || value === undefined ? [] : [value];
  });
}

/** Groups tests that need a program of others; skips them, and says so, where it does not run. */
export function describeWith(program: readonly [string, ...string[]], name: string, define: () => void): void {
  const [command, ...given] = program;
  if (spawnSync(command, given, { stdio: "ignore" }).status === 0) {
    describe(name, define);
    return;
  }
  console.warn(`SKIPPED: ${name}. It needs ${program.join(" ")}; docs/guides/operations.md names the packages.`);
  describe.skip(name, () => {
    test(`needs ${command}`, () => undefined);
  });
}
