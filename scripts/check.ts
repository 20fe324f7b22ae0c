/** Format, lint, types, import map, regular expressions and workflows, all at once: `npm run check`. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

const checks = [
  ["biome", "check", "--error-on-warnings"],
  ["tsc", "-p", "tsconfig.json"],
  ["tsc", "-p", "dashboard/tsconfig.json"],
  ["node", "scripts/check-imports.ts"],
  ["node", "scripts/check-regular-expressions.ts"],
  ["node", "scripts/check-workflows.ts"],
] as const;

const startedAt = performance.now();
const results = await Promise.all(checks.map(([program, ...programArguments]) => run(program, programArguments)));
for (const { output } of results) process.stdout.write(output);
for (const { command } of results.filter(({ isGreen }) => !isGreen)) {
  console.error(`check failed: ${command}`);
  process.exitCode = 1;
}

console.log(`checked in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);

/** What a check prints is kept until all have ended, so that two of them never mix their lines. */
async function run(program: string, programArguments: readonly string[]) {
  const child = spawn(program, programArguments, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
  const [isGreen, ...outputs] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { command: [program, ...programArguments].join(" "), isGreen, output: outputs.join("") };
}
