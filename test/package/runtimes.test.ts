import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { ENGINE_PROGRAM } from "../support/engine-program.ts";
import { installRuntime, type Runtime } from "../support/install-runtime.ts";

const repository = resolve(import.meta.dirname, "../..");

const RUNTIMES: readonly Runtime[] = [
  { name: "bun", packageName: "bun", version: "1.4.4", program: "@oven/*/bin/bun", arguments: ["run"] },
  {
    name: "deno",
    packageName: "deno",
    version: "2.9.6",
    program: "@deno/*/deno",
    arguments: ["run", "--no-prompt", "--cached-only", "--node-modules-dir=manual"],
  },
];

/** In the repository, so that the package is found by its own name. */
function run(program: string, programArguments: readonly string[]): unknown {
  const file = join(repository, `.runtime-${process.pid}.mjs`);
  writeFileSync(file, `${ENGINE_PROGRAM}\nconsole.log(JSON.stringify(await globalThis.outcome));\n`);
  try {
    const printed = execFileSync(program, [...programArguments, file], {
      cwd: repository,
      encoding: "utf8",
      timeout: 60_000,
    });
    return JSON.parse(printed);
  } finally {
    rmSync(file);
  }
}

test.for(RUNTIMES)("the root runs on $name", { timeout: 400_000 }, (runtime, { skip }) => {
  const program = installRuntime(runtime);
  if (program === undefined) return skip();
  const session = { fits: true, found: true };
  expect(run(program, runtime.arguments)).toMatchObject({
    compacted: true,
    withoutModel: session,
    withModel: session,
  });
});
