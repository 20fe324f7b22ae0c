import { describe, expect, test } from "vitest";
import { findBreaches, findFolderCycles } from "./import-map.ts";

const breachesOf = (path: string, text: string) => findBreaches([{ path, text }]);

describe("finds", () => {
  test.each([
    ["core importing a package", "src/core/a.ts", `import { z } from "zod";`, "core uses no package"],
    [
      "core importing the platform",
      "src/core/message/a.ts",
      `import { join } from "node:path";`,
      "core uses no package",
    ],
    [
      "core importing the platform for its side effect",
      "src/core/a.ts",
      `import "node:process";`,
      "core uses no package",
    ],
    ["core importing a type of the platform", "src/core/a.ts", `import type { Stats } from "node:fs";`, "core uses no"],
    [
      "core importing the engine",
      "src/core/message/a.ts",
      `import { x } from "../../engine/x.ts";`,
      "nothing else of ours",
    ],
    ["core importing the public index", "src/core/a.ts", `import { x } from "../index.ts";`, "nothing else of ours"],
    ["an upward import of a type", "src/core/a.ts", `import type { X } from "../engine/x.ts";`, "nothing else of ours"],
    ["an upward inline type", "src/core/a.ts", `let x: import("../engine/x.ts").X;`, "nothing else of ours"],
    ["an upward dynamic import", "src/core/a.ts", `const x = await import("../engine/x.ts");`, "nothing else of ours"],
    ["a dynamic import in back quotes", "src/core/a.ts", "await import(`node:fs`);", "core uses no package"],
    ["a dynamic import with room", "src/core/a.ts", `await import (\n  "node:fs",\n);`, "core uses no package"],
    ["an upward re-export", "src/core/a.ts", `export { x } from "../engine/x.ts";`, "nothing else of ours"],
    ["an upward re-export of all", "src/core/a.ts", `export * from "../engine/x.ts";`, "nothing else of ours"],
    ["a re-export of types", "src/core/a.ts", `export type { X } from "../engine/x.ts";`, "nothing else of ours"],
    [
      "an import over many lines",
      "src/core/a.ts",
      `import {\n  a, // it's "a"\n  b,\n} from "../cli/x.ts";`,
      "nothing else of ours",
    ],
    ["single quotes", "src/core/a.ts", `import x from '../engine/x.ts';`, "nothing else of ours"],
    [
      "the gateway importing another integration than MCP",
      "src/gateway/api/a.ts",
      `import { x } from "../../integrations/langchain/x.ts";`,
      "gateway may import core, engine, adapters, integrations/mcp",
    ],
    [
      "a sibling adapter",
      "src/adapters/gemini/a.ts",
      `import { x } from "../anthropic/x.ts";`,
      "siblings in adapters/",
    ],
    [
      "what adapters share importing an adapter",
      "src/adapters/splice/a.ts",
      `import { x } from "../gemini/x.ts";`,
      "siblings in adapters/",
    ],
    ["a sibling store", "src/stores/sqlite/a.ts", `import { x } from "../memory/x.ts";`, "siblings in stores/"],
    [
      "an adapter importing what brings adapters together",
      "src/adapters/gemini/a.ts",
      `import { x } from "../index.ts";`,
      "siblings in adapters/",
    ],
    ["a sibling converter", "src/messages/gemini/a.ts", `import "../anthropic/x.ts";`, "siblings in messages/"],
    ["a sibling transcript", "src/transcripts/roo/a.ts", `import "../codex/x.ts";`, "siblings in transcripts/"],
    [
      "an adapter importing the engine",
      "src/adapters/gemini/a.ts",
      `import "../../engine/x.ts";`,
      "adapters may import core",
    ],
    [
      "the engine importing an adapter",
      "src/engine/a.ts",
      `import "../adapters/gemini/x.ts";`,
      "engine may import core",
    ],
    [
      "the gateway importing a store",
      "src/gateway/a.ts",
      `import "../stores/sqlite/x.ts";`,
      "gateway may import core, engine",
    ],
    ["the cli importing testing", "src/cli/a.ts", `import "../testing/x.ts";`, "cli may import core"],
    [
      "the index importing a store",
      "src/index.ts",
      `export * from "./stores/memory/x.ts";`,
      "index may import core, engine",
    ],
    ["src importing what lies outside", "src/engine/a.ts", `import "../../scripts/setup.mjs";`, "outside the folders"],
    ["src importing test code", "src/core/a.ts", `import "../../test/support/messages.ts";`, "outside the folders"],
    [
      "src importing itself by its public name",
      "src/engine/a.ts",
      `import "palimpsest/stores/sqlite";`,
      "by its public name",
    ],
    [
      "the evals importing the scanner of the ledger",
      "src/core/evals/needed/a.ts",
      `import { wordsOf } from "../../text/words.ts";`,
      "a scanner of their own",
    ],
    [
      "the evals importing the ledger",
      "src/core/evals/a.ts",
      `import { mentionsIn } from "../condense/ledger/identifier-weights.ts";`,
      "a scanner of their own",
    ],
    [
      "the evals importing what checks facts with the ledger's scanner",
      "src/core/evals/a.ts",
      `import "../validators/facts/fact-source.ts";`,
      "a scanner of their own",
    ],
    [
      "the eval's scanner importing anything",
      "src/core/evals/identifiers/a.ts",
      `import "../../text/message-texts.ts";`,
      "its own",
    ],
    [
      "the ledger importing the eval's scanner",
      "src/core/condense/ledger/a.ts",
      `import "../../evals/identifiers/scan-names.ts";`,
      "only validators use the evals",
    ],
    [
      "the ledger's scanner importing the eval's",
      "src/core/text/a.ts",
      `import "../evals/identifiers/is-identifier.ts";`,
      "only validators use the evals",
    ],
    [
      "bench importing src",
      "bench/perf/a.ts",
      `import { x } from "../../src/index.ts";`,
      "bench uses public names only",
    ],
    [
      "bench importing src dynamically",
      "bench/a.ts",
      `await import("../src/core/x.ts");`,
      "bench uses public names only",
    ],
    [
      "the dashboard importing src",
      "dashboard/src/api/a.ts",
      `import type { x } from "../../../src/gateway/index.ts";`,
      "the dashboard talks HTTP to the gateway",
    ],
    [
      "the dashboard importing a package",
      "dashboard/src/screens/a.tsx",
      `import { x } from "lodash";`,
      "the dashboard uses preact alone",
    ],
    [
      "the dashboard's model importing a screen",
      "dashboard/src/model/a.ts",
      `import { x } from "../screens/now.tsx";`,
      "the dashboard's model is pure",
    ],
    [
      "the dashboard's model importing the client",
      "dashboard/src/model/a.ts",
      `import { x } from "../api/client.ts";`,
      "the dashboard's model is pure",
    ],
    [
      "the dashboard's model importing a package",
      "dashboard/src/model/a.ts",
      `import { h } from "preact";`,
      "the dashboard's model uses no package",
    ],
  ])("%s", (_, path, text, reason) => {
    const breaches = breachesOf(path, text);
    expect(breaches).toHaveLength(1);
    expect(breaches[0]).toMatch(new RegExp(`^${path}: imports ".+": `));
    expect(breaches[0]).toContain(reason);
  });

  test.each(["src/utils/a.ts", "src/helpers.ts", "src/constructor/a.ts", "src/utils/a.test.ts"])(
    "%s, whose folder the map does not name",
    (path) => {
      expect(breachesOf(path, "")).toEqual([`${path}: its folder is not in the import map (scripts/import-map.ts)`]);
    },
  );

  test("every breach of every file, in order", () => {
    const files = [
      { path: "src/core/a.ts", text: `import "zod";\nimport "../cli/x.ts";` },
      { path: "src/engine/b.ts", text: `import "../cli/x.ts";` },
    ];
    expect(findBreaches(files).map((breach) => breach.split(":")[0])).toEqual([
      "src/core/a.ts",
      "src/core/a.ts",
      "src/engine/b.ts",
    ]);
  });
});

describe("allows", () => {
  test.each([
    ["what brings siblings together importing them", "src/transcripts/index.ts", `import "./codex/x.ts";`],
    ["core within core", "src/core/truncate/a.ts", `import { x } from "../message/x.ts";\nimport "./y.ts";`],
    ["the engine on core", "src/engine/a.ts", `import { x } from "../core/x.ts";`],
    ["an adapter on core and within itself", "src/adapters/gemini/a.ts", `import "../../core/x.ts";\nimport "./y.ts";`],
    ["an adapter on what all adapters share", "src/adapters/gemini/a.ts", `import "../splice/index.ts";`],
    ["packages and the platform outside core", "src/stores/sqlite/a.ts", `import "node:sqlite";\nimport "zod";`],
    ["the gateway on adapters", "src/gateway/a.ts", `import "../adapters/gemini/x.ts";\nimport "../engine/x.ts";`],
    ["the gateway on the server of MCP", "src/gateway/api/a.ts", `import "../../integrations/mcp/x.ts";`],
    [
      "the cli on everything that it wires",
      "src/cli/a.ts",
      `import "../stores/sqlite/x.ts";\nimport "../gateway/x.ts";`,
    ],
    [
      "the index on core and engine",
      "src/index.ts",
      `export { x } from "./core/x.ts";\nexport { y } from "./engine/y.ts";`,
    ],
    [
      "a test on anything",
      "src/core/a.test.ts",
      `import "vitest";\nimport "../engine/x.ts";\nimport "../../test/x.ts";`,
    ],
    [
      "the evals on what they measure with",
      "src/core/evals/measures/a.ts",
      `import "../../message/x.ts";\nimport "../../text/message-texts.ts";\nimport "../identifiers/scan-names.ts";`,
    ],
    ["a validator on the evals", "src/core/validators/a.ts", `import "../evals/back-test.ts";`],
    [
      "bench on public names and itself",
      "bench/perf/a.ts",
      `import "palimpsest";\nimport "node:fs";\nimport "../x.ts";`,
    ],
  ])("%s", (_, path, text) => {
    expect(breachesOf(path, text)).toEqual([]);
  });

  test.each([
    ["a comment", ` * import { createEngine } from "palimpsest";\n// import "zod";\n/** from "zod" */`],
    ["a message", 'throw new Error(`Rejected a value that came from "nowhere"`);'],
    ["a prompt", 'const prompt = `\nQuote the line from "src/a.ts"\nand import "nothing".\n`;'],
    ["a field named import", `const x = { import: "./a.ts", from: "b" };`],
  ])("core to speak of imports in %s", (_, text) => {
    expect(breachesOf("src/core/a.ts", text)).toEqual([]);
  });
});

describe("subfolders that import each other in a circle", () => {
  const file = (path: string, ...imported: readonly string[]) => ({
    path,
    text: imported.map((specifier) => `import { x } from "${specifier}";`).join("\n"),
  });

  test("are told once, with the way round", () => {
    const files = [
      file("src/core/text/a.ts", "../tokens/b.ts"),
      file("src/core/tokens/b.ts", "../message/c.ts"),
      file("src/core/message/c.ts", "../text/a.ts"),
    ];
    expect(findFolderCycles(files)).toEqual([
      "src/core: message imports text imports tokens imports message: break the circle",
    ]);
  });

  test.each([
    ["one direction", [file("src/core/text/a.ts", "../tokens/b.ts"), file("src/core/tokens/b.ts", "../json/c.ts")]],
    ["a test", [file("src/core/text/a.ts", "../tokens/b.ts"), file("src/core/tokens/b.test.ts", "../text/a.ts")]],
    ["an index over them", [file("src/core/index.ts", "./text/a.ts"), file("src/core/text/a.ts", "../index.ts")]],
    ["other folders", [file("src/core/text/a.ts", "../tokens/b.ts"), file("src/engine/tokens/b.ts", "../text/a.ts")]],
  ])("are not seen in %s", (_, files) => {
    expect(findFolderCycles(files)).toEqual([]);
  });
});
