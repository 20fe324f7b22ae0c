/** `npm test`: the checks, then every test; the last line says how many passed and failed. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly success: boolean;
}

const checksPassed = spawnSync("node", ["scripts/check.ts"], { stdio: "inherit" }).status === 0;
const report = runTests(process.argv.slice(2));
const passed = report.numPassedTests + (checksPassed ? 1 : 0);
// A test file that does not even load has no failed test of its own; it must not pass unnoticed.
const failed = (report.numFailedTests || (report.success ? 0 : 1)) + (checksPassed ? 0 : 1);
if (report.numPendingTests > 0) console.log(`${report.numPendingTests} skipped: the reason is above`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function runTests(filters: readonly string[]): TestReport {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-test-"));
  const reportPath = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
    const { status } = spawnSync("vitest", ["run", ...reporters, ...filters], { stdio: "inherit" });
    const report: TestReport = JSON.parse(readFileSync(reportPath, "utf8"));
    return { ...report, success: report.success && status === 0 };
  } catch (error) {
    console.error(`The tests did not run to the end: ${error}`);
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, success: false };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
