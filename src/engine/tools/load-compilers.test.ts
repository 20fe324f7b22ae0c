import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test.each([
  { installed: undefined, said: "ajv is not installed. Run: npm install ajv@8" },
  { installed: "6.12.6", said: "The ajv that is installed is older than version 8. Run: npm install ajv@8" },
])("with ajv $installed the module loads, and the first use names what to install", ({ installed, said }) => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-ajv-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const src = resolve(import.meta.dirname, "../..");
  for (const part of ["core", "engine/tools"]) {
    cpSync(join(src, part), join(folder, "src", part), { recursive: true });
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  if (installed !== undefined) {
    const ajv = join(folder, "node_modules/ajv");
    mkdirSync(ajv, { recursive: true });
    writeFileSync(join(ajv, "package.json"), JSON.stringify({ name: "ajv", version: installed, main: "lib/ajv.js" }));
  }
  writeFileSync(
    join(folder, "ask.ts"),
    `import { createArgumentCheck } from "./src/engine/tools/check-arguments.ts";
     await createArgumentCheck([]).catch((error) => console.log(error.code, error.message));`,
  );
  const output = execFileSync(process.execPath, [join(folder, "ask.ts")], { encoding: "utf8" });
  expect(output.trim()).toBe(`missing-package ${said}`);
});
