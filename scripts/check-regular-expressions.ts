/**
 * Fails on a regular expression of `src` that takes more than linear time on some text: such a text, sent by anyone, would stop the
 * process. What was found to be linear is remembered in `.setup`, for the analysis of all takes two minutes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { EXCEPTIONS } from "./regular-expressions/exceptions.ts";
import { findExpressions } from "./regular-expressions/find-expressions.ts";
import { findSlow, type RecordedExpression } from "./regular-expressions/find-slow.ts";
import { judgeExpression, type Verdict } from "./regular-expressions/judge-expression.ts";

const MEMORY = ".setup/regular-expressions.json";
const TOOLS = join(import.meta.dirname, "regular-expressions");

const rules = createHash("sha256")
  .update(readFileSync(join(TOOLS, "judge-expression.ts")))
  .update(readFileSync("node_modules/recheck/package.json"))
  .digest("hex");
const linear = new Set<string>(readMemory());

const found = findExpressions("tsconfig.json", "src");
const slow = findSlow({ found, recorded: recordConstructions(), exceptions: EXCEPTIONS, judge: judgeOnce });
writeMemory();
for (const line of slow) console.error(line);
process.exitCode = slow.length === 0 ? 0 : 1;

function judgeOnce(source: string, flags: string): Verdict {
  const key = `/${source}/${flags}`;
  if (linear.has(key)) return { type: "linear" };
  const verdict = judgeExpression(source, flags);
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
  mkdirSync(dirname(MEMORY), { recursive: true });
  writeFileSync(MEMORY, JSON.stringify({ rules, linear: [...linear] }));
}
