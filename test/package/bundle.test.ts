import { createContext, Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { get_encoding } from "tiktoken";
import { expect, test } from "vitest";
import { bundleConsumer, bundleInitial } from "../support/bundle-package.ts";
import { ENGINE_PROGRAM } from "../support/engine-program.ts";

const MAX_ENGINE_BYTES = 140_000;
/** With the converters of all wires, which are loaded when they are first asked for. */
const MAX_WHOLE_ENGINE_BYTES = 170_000;
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

test("an engine without the vocabulary is less than 140 KB, compressed, and 170 KB with all that it may load later", async () => {
  const program = 'export { createEngine } from "palimpsest";';
  const choices = { withoutVocabulary: true, isMinified: true };
  const [initial, whole] = [await bundleInitial(program, choices), await bundleConsumer(program, choices)];
  expect([initial, whole].map((code) => code.includes("#o200k-vocabulary"))).toEqual([true, true]);
  expect(gzipBytes(initial)).toBeLessThan(MAX_ENGINE_BYTES);
  expect(gzipBytes(whole)).toBeLessThan(MAX_WHOLE_ENGINE_BYTES);
  expect(gzipBytes(whole) - gzipBytes(initial)).toBeGreaterThan(5_000);
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
