/**
 * Loads the modules given as arguments and prints, as JSON, every regular expression that they construct meanwhile:
 * `node scripts/regular-expressions/record-constructions.ts FILE…`. In a process of its own, for it replaces `RegExp`.
 */
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { getCallSites } from "node:util";

const files = process.argv.slice(2).map((file) => resolve(file));
const recorded: object[] = [];

function record(expression: RegExp): RegExp {
  for (const { scriptName, lineNumber } of getCallSites()) {
    const file = scriptName.startsWith("file:") ? fileURLToPath(scriptName) : scriptName;
    if (!files.includes(file)) continue;
    recorded.push({ file, line: lineNumber, source: expression.source, flags: expression.flags });
    break;
  }
  return expression;
}

globalThis.RegExp = new Proxy(RegExp, {
  construct: (target, given, newTarget) => record(Reflect.construct(target, given, newTarget)),
  apply: (target, self, given) => record(Reflect.apply(target, self, given)),
});

for (const file of files) await import(pathToFileURL(file).href);
process.stdout.write(JSON.stringify(recorded));
