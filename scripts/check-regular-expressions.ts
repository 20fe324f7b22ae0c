/**
 * Fails on a regular expression of `src` that takes more than linear time on some text: such a text, sent by anyone, would stop the
 * process. To analyse all of them takes two minutes: those that were found to be linear are listed in `linear.json`, which is committed with the
 * change that adds one. `--all` judges each of them anew.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { EXCEPTIONS } from "./regular-expressions/exceptions.ts";
import { findExpressions } from "./regular-expressions/find-expressions.ts";
import { findSlow, type RecordedExpression } from "./regular-expressions/find-slow.ts";
import { judgeExpression, type Verdict } from "./regular-expressions/judge-expression.ts";

const TOOLS = join(import.meta.dirname, "regular-expressions");
const MEMORY = join(TOOLS, "linear.json");

const rules = createHash("sha256")
  .update(readFileSync(join(TOOLS, "judge-expression.ts")))
  .update(readFileSync("node_modules/recheck/package.json"))
  .digest("hex");
const known = new Set(process.argv.includes("--all") ? [] : readMemory());
const linear = new Set<string>();

const found = findExpressions("tsconfig.json", "src");
const slow = findSlow({ found, recorded: recordConstructions(), exceptions: EXCEPTIONS, judge: judgeOnce });
writeMemory();
for (const line of slow) console.error(line);
process.exitCode = slow.length === 0 ? 0 : 1;

function judgeOnce(source: string, flags: string): Verdict {
  const key = createHash("sha256").update(`/${source}/${flags}`).digest("hex").slice(0, 16);
  const verdict: Verdict = known.has(key) ? { type: "linear" } : judgeExpression(source, flags);
  if (verdict.type === "linear") linear.add(key);
  return verdict;
}

function recordConstructions(): readonly RecordedExpression[] {
  const files = [...new Set(found.constructions.map(({ file }) => file))];
  const output = execFileSync(process.execPath, [join(TOOLS, "record-constructions.ts"), ...files]);
  const recorded: readonly RecordedExpression[] = JSON.parse(output.toString());
  return recorded.map((each) => ({ ...each, file: relative(process.cwd(), each.file) }));
}

function readMemory(): readonly string[] {
  if (!existsSync(MEMORY)) return [];
  const memory: { readonly rules: string; readonly linear: readonly string[] } = JSON.parse(
    readFileSync(MEMORY, "utf8"),
  );
  return memory.rules === rules ? memory.linear : [];
}

function writeMemory(): void {
  const text = `${JSON.stringify({ rules, linear: [...linear].sort() }, undefined, 2)}\n`;
  if (!existsSync(MEMORY) || readFileSync(MEMORY, "utf8") !== text) writeFileSync(MEMORY, text);
}
