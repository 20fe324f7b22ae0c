import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(repository, path), "utf8");

test("the README quotes the example as it is, with the output that it really prints", () => {
  const readme = read("README.md");
  expect(readme).toContain(`\`\`\`ts\n${read("examples/fit-and-restore.ts")}\`\`\``);
  const { status, stdout } = spawnSync("node", ["examples/fit-and-restore.ts"], { cwd: repository, encoding: "utf8" });
  expect(status).toBe(0);
  expect(readme).toContain(`\`\`\`\n${stdout}\`\`\``);
});

test("every file that the docs link to exists", () => {
  for (const page of ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/guides/core.md"]) {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] ?? "");
    for (const link of links)
      expect(() => readFileSync(join(repository, page, "..", link)), link).not.toThrow(/ENOENT/);
  }
});
