import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createContext, Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { get_encoding } from "tiktoken";
import { expect, test } from "vitest";
import { bundleConsumer, bundleInitial, bundleSplit } from "../support/bundle-package.ts";
import { ENGINE_PROGRAM } from "../support/engine-program.ts";

/** What is loaded before an engine does anything: docs/decisions/0054-late-parts.md. */
const MAX_ENGINE_BYTES = 120_000;
/** With all that it may load later: ledger, validators, recall, statements, and the converters of all wires. */
const MAX_WHOLE_ENGINE_BYTES = 185_000;
const MAX_COUNTER_BYTES = 16_000;

/** What Node has and a browser or an edge worker does not. */
const NODE_GLOBALS = [
  ...["process", "Buffer", "global", "setImmediate", "clearImmediate"],
  ...["require", "module", "exports", "__dirname", "__filename"],
];

/** Rejections that nobody handles are Node's business even in a realm of its own: they would fail the run. */
function runInWebRealm(program: string): unknown {
  let timers = 0;
  const running = new Map<number, NodeJS.Timeout>();
  const context = createContext({
    ...{ AbortController, AbortSignal, console, crypto, performance, queueMicrotask, structuredClone },
    ...{ TextDecoder, TextEncoder, URL, URLSearchParams },
    // Timers are numbers there: what calls their methods fails here too.
    setTimeout: (callback: () => void, delayMs?: number) => {
      timers++;
      running.set(timers, setTimeout(callback, delayMs));
      return timers;
    },
    clearTimeout: (timer: number) => clearTimeout(running.get(timer)),
  });
  new Script(program).runInContext(context);
  return context.outcome;
}

const gzipBytes = (text: string) => gzipSync(text).byteLength;

test("an engine without the vocabulary is less than 120 KB, compressed, and 185 KB with all that it may load later", async () => {
  const program = 'export { createEngine } from "palimpsest";';
  const choices = { withoutVocabulary: true, isMinified: true };
  const [initial, whole] = [await bundleInitial(program, choices), await bundleConsumer(program, choices)];
  expect([initial, whole].map((code) => code.includes("#o200k-vocabulary"))).toEqual([true, true]);
  const [initialBytes, wholeBytes] = [gzipBytes(initial), gzipBytes(whole)];
  console.log(`createEngine, gzip: ${initialBytes} bytes at first, ${wholeBytes} with all that it may load later`);
  expect(initialBytes).toBeLessThan(MAX_ENGINE_BYTES);
  expect(wholeBytes).toBeLessThan(MAX_WHOLE_ENGINE_BYTES);
});

/** Tells which files are loaded, step by step. */
const STEPWISE_PROGRAM = `
import { createEngine } from "palimpsest";
const engine = createEngine({ model: "claude-sonnet-4-5", contextWindow: 20000, maxTokens: 1000 });
const session = await engine.session("task");
const say = (number) => session.append(
  { role: "user", content: "Read file " + number + ": " + "word ".repeat(400) }, { role: "assistant", content: "It is read." });
await say(0);
const first = await session.prepare();
const before = [...globalThis.loaded];
for (let number = 1; number < 40; number++) await say(number);
const folded = await session.prepare();
const hits = await session.recall("file 3");
const { requests } = await session.statement();
console.log(JSON.stringify({ before, after: globalThis.loaded, folds: [first, folded].map(({ report }) => report.foldIds.length > 0), hits: hits.length, requests }));
`;

test("a bundle of several files loads what folds, searches and sums up when that is first done", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bundle-"));
  try {
    const entry = pathToFileURL(await bundleSplit(STEPWISE_PROGRAM, folder)).href;
    const program = `
      import { registerHooks } from "node:module";
      globalThis.loaded = [];
      registerHooks({ load(url, context, next) { globalThis.loaded.push(url); return next(url, context); } });
      await import(${JSON.stringify(entry)});`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
    const { before, after, folds, hits, requests } = JSON.parse(printed);
    expect({ folds, found: hits > 0, requests }).toEqual({ folds: [false, true], found: true, requests: 1 });
    expect(before.length).toBeLessThan(after.length);
    const late = ["condense-by-ledger", "built-in-validators", "session-recall", "sum-statement"];
    for (const name of late) {
      const files = (loaded: readonly string[]) => loaded.filter((url) => url.includes(name)).length;
      expect([name, files(before), files(after)]).toEqual([name, 0, 1]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the counter alone is bundled alone", async () => {
  const program = 'export { countTextTokens } from "palimpsest/core";';
  const code = await bundleConsumer(program, { withoutVocabulary: true, isMinified: true });
  expect(gzipBytes(code)).toBeLessThan(MAX_COUNTER_BYTES);
});

// A bundle is moved to where no file of the package is: a platform that reads the vocabulary later would not find it.
test.each(["neutral", "node", "browser"] as const)("a counter bundled for %s needs no other file", async (platform) => {
  const text = "Hello, wörld! 你好";
  const program = `import { countTextTokens } from "palimpsest/core";
    globalThis.outcome = countTextTokens(${JSON.stringify(text)});`;
  const oracle = get_encoding("o200k_base");
  expect(runInWebRealm(await bundleConsumer(program, { platform }))).toBe(oracle.encode(text).length);
  oracle.free();
});

test("the root names nothing that only Node has", async () => {
  const define = Object.fromEntries(NODE_GLOBALS.map((name) => [name, `NODE_ONLY_${name}`]));
  const code = await bundleConsumer('export * from "palimpsest";', { withoutVocabulary: true, define });
  const named = NODE_GLOBALS.filter((name) => code.includes(`NODE_ONLY_${name}`));
  expect(named).toEqual([]);
  expect(code).not.toMatch(/from "node:|import\("node:/);
});

test("the root runs where there is nothing but what the web has", async () => {
  const outcome = await runInWebRealm(await bundleConsumer(ENGINE_PROGRAM));
  const session = { fits: true, found: true };
  expect(outcome).toMatchObject({ compacted: true, withoutModel: session, withModel: session });
});
