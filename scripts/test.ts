/**
 * `npm test`: the checks, then every test that is not long; the last line says how many passed and failed. `npm run test:chaos`: the
 * chaos tests and all else that is long or has a short form in `npm test`, in full, with their figures above the last line.
 * `npm run test:agents`: real agents from the registry, alone. `test-selection.ts` says which files are which.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { choosePropertySeed } from "./property-seed.ts";
import { CHAOS_FILTERS, LONG, PROPERTY_TRIES } from "./test-selection.ts";

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly success: boolean;
}

// What the tests start as a process of its own: `setup.mjs` has built it.
process.env.PALIMPSEST_TEST_MAIN ??= "dist/cli/main.js";

const MODES = { "--chaos": runChaos, "--agents": runAgents };

const mode = Object.entries(MODES).find(([name]) => process.argv.includes(name));
const filters = process.argv.slice(2).filter((argument) => !(argument in MODES));
const checks = mode === undefined ? runChecks() : "left out";
for (const path of LONG.filter((each) => mode === undefined && filters.includes(each))) {
  console.error(`${path} takes long and is left out here. Run it with: npm run test:chaos -- ${path}`);
}
const report = (mode?.[1] ?? runTests)(filters);
const passed = report.numPassedTests + (checks === "passed" ? 1 : 0);
// A test file that does not even load has no failed test of its own; it must not pass unnoticed.
const failed = (report.numFailedTests || (report.success ? 0 : 1)) + (checks === "failed" ? 1 : 0);
if (report.numPendingTests > 0) console.log(`${report.numPendingTests} skipped: the reason is above`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function runChecks(): "passed" | "failed" {
  return spawnSync("node", ["scripts/check.ts"], { stdio: "inherit" }).status === 0 ? "passed" : "failed";
}

/** One file after the other: each of them alone has more processes than a machine has cores. */
function runChaos(filters: readonly string[]): TestReport {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-chaos-"));
  const figuresPath = join(folder, "figures.txt");
  process.env.PALIMPSEST_CHAOS = "full";
  process.env.PALIMPSEST_CHAOS_SEED ??= String(choosePropertySeed({ environment: process.env, folder: process.cwd() }));
  process.env.PALIMPSEST_CHAOS_FIGURES = figuresPath;
  process.env.PALIMPSEST_PROPERTY_RUNS ??= String(PROPERTY_TRIES.full);
  try {
    const chosen = filters.length === 0 ? CHAOS_FILTERS : filters;
    const report = runTests(["--no-file-parallelism", ...chosen]);
    if (existsSync(figuresPath)) console.log(readFileSync(figuresPath, "utf8"));
    return report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One file after the other, as above. Filters may be options of vitest: `-t Codex` chooses an agent. */
function runAgents(filters: readonly string[]): TestReport {
  process.env.PALIMPSEST_AGENTS = "on";
  const hasFiles = filters.some((filter) => filter.includes("test/agents"));
  return runTests(["--no-file-parallelism", ...(hasFiles ? [] : ["test/agents"]), ...filters]);
}

function runTests(vitestArguments: readonly string[]): TestReport {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-test-"));
  const reportPath = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
    const { status } = spawnSync("vitest", ["run", ...reporters, ...vitestArguments], { stdio: "inherit" });
    const report: TestReport = JSON.parse(readFileSync(reportPath, "utf8"));
    return { ...report, success: report.success && status === 0 };
  } catch (error) {
    console.error(`The tests did not run to the end: ${error}`);
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, success: false };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
