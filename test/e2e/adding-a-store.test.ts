/** docs/adding-a-store.md, followed step by step: its code is written where it says, compiled, and its test is run. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(repository, "docs/adding-a-store.md"), "utf8");

/** The code of each step, by its number. */
const steps = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((step) => [Number.parseInt(step, 10), /^```ts\n([\s\S]*?)^```$/m.exec(step)?.[1] ?? ""]),
);
const codeOf = (...numbers: readonly number[]) => numbers.map((number) => steps.get(number) ?? "").join("\n");

const root = mkdtempSync(join(tmpdir(), "palimpsest-adding-a-store-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const folder = join(root, "src/stores/table");
mkdirSync(folder, { recursive: true });
for (const shared of ["src/core", "src/testing", "node_modules", "tsconfig.json", "package.json"]) {
  symlinkSync(join(repository, shared), join(root, shared));
}
writeFileSync(join(folder, "table-store.ts"), codeOf(1, 2, 3, 4, 5, 6));
writeFileSync(join(folder, "table-store.test.ts"), codeOf(7));
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({ extends: join(repository, "tsconfig.json"), include: ["."] }),
);

test("steps 1 to 7 have code, and step 8 has none left", () => {
  const withCode = [...steps].filter(([, code]) => code !== "").map(([number]) => number);
  expect(withCode).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(page.match(/^```ts$/gm)).toHaveLength(7);
});

test("the code compiles as strictly as ours", () => {
  const compiler = join(repository, "node_modules/.bin/tsc");
  const { status, stdout } = spawnSync(compiler, ["--noEmit", "-p", folder], { encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

// Registers the tests of step 7 here.
await import(join(folder, "table-store.test.ts"));
