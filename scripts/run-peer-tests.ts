/**
 * Runs the tests that other projects wrote for the names of `palimpsest/compat`, unchanged, against ours, and prints for each one whether ours does
 * the same, differs on purpose (with the reason), or differs. Nothing of those projects is in this repository:
 *
 *     npm pack @google/gemini-cli-core && tar xzf google-gemini-cli-core-*.tgz
 *     npx node scripts/run-peer-tests.ts FOLDER
 *
 * FOLDER is where they are: packed packages, or checkouts. Ends with 1 if a test differs and no reason is known.
 */
import { globSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { startVitest, type TestCase } from "vitest/node";
import { type PeerFailure, reasonFor } from "./peers/differences.ts";
import { PEERS, type Peer } from "./peers/peers.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error(
    "Usage: npx node scripts/run-peer-tests.ts FOLDER (a folder with the other projects' packages or checkouts)",
  );
  process.exit(2);
}
const root = resolve(folder);

const totals = { same: 0, onPurpose: 0, differs: 0 };
let files = 0;
for (const peer of PEERS) {
  const found = testFilesOf(peer);
  files += found.length;
  if (found.length > 0) await run(peer, found);
}
if (files === 0) {
  console.error(`No tests of ${PEERS.map(({ name }) => name).join(" or ")} are in ${root}.`);
  process.exit(2);
}
const { same, onPurpose, differs } = totals;
console.log(`${same + onPurpose + differs} tests: ${same} the same, ${onPurpose} differ on purpose, ${differs} differ`);
process.exit(differs > 0 ? 1 : 0);

function testFilesOf({ tests }: Peer): readonly string[] {
  return tests
    .flatMap((name) => globSync(`**/${name}.{js,ts}`, { cwd: root }))
    .filter((path) => !path.endsWith(".d.ts"))
    .map((path) => join(root, path));
}

/** Runs test files in place. Their imports of the modules under test lead to ours; all other imports are theirs. */
async function run(peer: Peer, paths: readonly string[]): Promise<void> {
  const include = paths.map((path) => relative(root, path));
  const vitest = await startVitest(
    "test",
    [],
    { root, config: false, watch: false, globals: true, reporters: [{}], include, exclude: [] },
    { plugins: [{ name: "palimpsest-peers", enforce: "pre", resolveId: (...of) => replacementOf(peer, of) }] },
  );
  for (const file of vitest.state.getTestModules()) {
    const path = relative(root, file.moduleId);
    console.log(`${peer.name}: ${path}`);
    for (const error of file.errors()) report({ path, title: "the file", error: firstLine(error.message) });
    for (const test of file.children.allTests()) reportTest(path, test);
  }
  await vitest.close();
}

/** Our file in place of a module that one of their files imports; undefined for all other imports, ours among them. */
function replacementOf(
  { modules }: Peer,
  [source, importer]: readonly [source: string, importer: string | undefined, ...rest: readonly unknown[]],
): string | undefined {
  if (importer?.startsWith(root) !== true) return undefined;
  return modules.find(([path]) => path.test(source.replace(/\.[jt]s$/, "")))?.[1];
}

function reportTest(path: string, test: TestCase): void {
  const { state, errors = [] } = test.result();
  if (state === "skipped") return;
  if (state === "passed") {
    totals.same++;
    console.log(`  same: ${test.fullName}`);
    return;
  }
  report({ path, title: test.fullName, error: firstLine(errors[0]?.message ?? "") });
}

function report({ path, title, error }: PeerFailure & { readonly title: string }): void {
  const reason = reasonFor({ path, error });
  totals[reason === undefined ? "differs" : "onPurpose"]++;
  console.log(reason === undefined ? `  differs: ${title}: ${error}` : `  differs on purpose: ${title}: ${reason}`);
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
