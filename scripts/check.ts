/** Format, lint, types, import map, regular expressions and workflows: `npm run check`. */
import { spawnSync } from "node:child_process";

const checks = [
  ["biome", "check", "--error-on-warnings"],
  ["tsc", "-p", "tsconfig.json"],
  ["node", "scripts/check-imports.ts"],
  ["node", "scripts/check-regular-expressions.ts"],
  ["node", "scripts/check-workflows.ts"],
] as const;

for (const [program, ...programArguments] of checks) {
  const { status } = spawnSync(program, programArguments, { stdio: "inherit" });
  if (status !== 0) {
    console.error(`check failed: ${program} ${programArguments.join(" ")}`);
    process.exit(status ?? 1);
  }
}
