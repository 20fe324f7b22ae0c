/**
 * Whether this tree is faster or slower than an older commit: `npx node scripts/bench-against.ts COMMIT [names] [--rounds 3]`.
 *
 * Runs the same benches in a worktree of the commit, with packages of its own, and in this tree, round by round and in alternating order, so
 * that what else the machine does falls on both. Prints the tables with `this tree ÷ COMMIT` in place of each figure.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type BenchRound, compareTables } from "./compare-tables.ts";

const USAGE = "npx node scripts/bench-against.ts COMMIT [names of benches] [--rounds 3]";
const DEFAULT_NAMES = ["gateway", "engine", "session", "tokens"];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: "string" } } });
const [commit, ...given] = positionals;
const roundCount = Number(values.rounds ?? 3);
if (commit === undefined || !Number.isInteger(roundCount) || roundCount < 1) {
  console.error(`Usage: ${USAGE}`);
  process.exit(2);
}
const names = given.length > 0 ? given : DEFAULT_NAMES;
const here = resolve(import.meta.dirname, "..");
const there = join(mkdtempSync(join(tmpdir(), "palimpsest-against-")), "tree");

git("worktree", "add", "--quiet", "--detach", there, commit);
try {
  // Installed and built before anything is measured.
  for (const tree of [there, here]) setup(tree);
  const rounds: BenchRound[] = [];
  for (let round = 0; round < roundCount; round++) {
    console.error(`palimpsest: round ${round + 1} of ${roundCount}`);
    const outputs = new Map<string, string>();
    for (const tree of round % 2 === 0 ? [there, here] : [here, there]) {
      outputs.set(tree, setup(tree, "node", "bench/perf/main.ts", ...names));
    }
    rounds.push({ ours: outputs.get(here) ?? "", theirs: outputs.get(there) ?? "" });
  }
  console.log(`This tree ÷ ${git("rev-parse", "--short", commit).trim()}, medians of ${roundCount} rounds`);
  console.log(compareTables(rounds));
} finally {
  git("worktree", "remove", "--force", there);
  rmSync(resolve(there, ".."), { recursive: true, force: true });
}

function git(...gitArguments: readonly string[]): string {
  return execFileSync("git", gitArguments, { cwd: here, encoding: "utf8" });
}

/** Each tree runs on its own packages: those of this one, which npx puts on the PATH, come after them. */
function setup(tree: string, ...command: readonly string[]): string {
  return execFileSync("node", ["scripts/setup.mjs", ...command], {
    cwd: tree,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64_000_000,
  });
}
