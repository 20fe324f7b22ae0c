import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "..");
const DECISION = "docs/decisions/0023-gateway-in-plain-words.md";

/** What modules keep beyond a call: variables, collections that start empty, buffers. A WeakMap goes with its keys, and a table that is never written is no state. */
const STATE = [
  /^(?:export )?let \w+/m,
  /^(?:export )?const \w+ = (?:\/\* @__PURE__ \*\/ )?new (?:Map|Set)(?:<.*>)?\(\);/m,
  /^(?:export )?const \w+ = (?:\/\* @__PURE__ \*\/ )?new Uint\d+Array\(/m,
  /^(?:export )?const \w+ = (?:\/\* @__PURE__ \*\/ )?createIdleReader\(/m,
];

test("what a process shares between sessions is listed, with its reason, in the decision", () => {
  const paths = globSync("src/**/*.ts", { cwd: repository }).filter((path) => !path.endsWith(".test.ts"));
  const found = paths.filter((path) => {
    const text = readFileSync(join(repository, path), "utf8");
    return STATE.some((pattern) => pattern.test(text));
  });
  const rows = readFileSync(join(repository, DECISION), "utf8").matchAll(/^\| `(src\/[^`]+\.ts)` \|/gm);
  expect(Array.from(rows, ([, path]) => path).toSorted()).toEqual(found.toSorted());
});
