/**
 * Prints how long `import "palimpsest"` takes beside the same in one file by hand: `npx node scripts/measure-import.ts`, after a build.
 * Each start is a process of its own, and its CPU time is what counts; the two take turns, so that what else the machine does falls on both.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const STARTS = 101;
const repository = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "palimpsest-import-"));

try {
  const oneFile = join(folder, "palimpsest.mjs");
  const built = await rolldown({
    input: join(repository, "dist/index.js"),
    platform: "node",
    // As Node resolves it: without the vocabulary, which neither of the two reads.
    resolve: { conditionNames: ["node", "import"] },
  });
  await built.write({ file: oneFile, format: "esm", codeSplitting: false });
  await built.close();
  const [measurePackage, measureOneFile] = [importTimer("palimpsest"), importTimer(pathToFileURL(oneFile).href)];
  const samples = Array.from({ length: STARTS }, () => ({ ours: measurePackage(), byHand: measureOneFile() }));
  const oursMs = median(samples.map((sample) => sample.ours));
  const byHandMs = median(samples.map((sample) => sample.byHand));
  console.log(
    `import "palimpsest": ${oursMs.toFixed(1)} ms of CPU; one file bundled by hand: ${byHandMs.toFixed(1)} ms`,
  );
  console.log(`ratio ${(oursMs / byHandMs).toFixed(2)} (medians of ${STARTS} process starts each)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function importTimer(specifier: string): () => number {
  const program = `const start = process.cpuUsage();
await import(${JSON.stringify(specifier)});
const { user, system } = process.cpuUsage(start);
console.log((user + system) / 1_000);`;
  const nodeArguments = ["--input-type=module", "--eval", program];
  return () => Number(execFileSync(process.execPath, nodeArguments, { cwd: repository, encoding: "utf8" }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
