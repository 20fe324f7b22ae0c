import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("without the package pg the module loads, and the first use names what to install", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-driver-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const src = resolve(import.meta.dirname, "../..");
  for (const part of ["core", "stores/postgres"]) {
    cpSync(join(src, part), join(folder, "src", part), { recursive: true });
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "ask.ts"),
    `import { postgresStore } from "./src/stores/postgres/index.ts";
     const store = postgresStore({ connectionString: "postgres://localhost/talks" });
     await store.open("s").catch((error) => console.log(error.code, error.message));
     await store.close();`,
  );
  const output = execFileSync(process.execPath, [join(folder, "ask.ts")], { encoding: "utf8" });
  expect(output.trim()).toBe("missing-package pg is not installed. Run: npm install pg@8");
});
