/**
 * Bundles `src` into `dist`: one file for each subpath and command of package.json, and shared chunks.
 *
 * Three hundred small modules take several times as long to load as a few files. Declarations are written by tsc.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { type OutputOptions, type Plugin, rolldown } from "rolldown";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

const repository = resolve(import.meta.dirname, "..");
const source = (path: string) => join(repository, "src", path);
const VOCABULARY = source("core/tokens/o200k/vocabulary.generated.ts");

/** By their names in `dist`, without an ending. */
function entries(): Record<string, string> {
  const { exports, bin }: Manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const targets = [...Object.values(exports), ...Object.values(bin)].flatMap((target) =>
    typeof target === "string" ? target : target.default,
  );
  const names = targets.flatMap((target) => /^\.\/dist\/(.+)\.js$/.exec(target)?.[1] ?? []);
  return {
    ...Object.fromEntries(names.map((name) => [name, source(`${name}.ts`)])),
    "vocabulary/node": source("platform/node-vocabulary.ts"),
  };
}

/** Importers ask for the vocabulary by a name that package.json resolves for each platform. */
const vocabularyByPlatform: Plugin = {
  name: "vocabulary-by-platform",
  async resolveId(specifier, importer, options) {
    if (importer === undefined || !specifier.endsWith("vocabulary.generated.ts")) return null;
    const resolved = await this.resolve(specifier, importer, { ...options, skipSelf: true });
    return resolved?.id === VOCABULARY ? { id: "#o200k-vocabulary", external: true } : resolved;
  },
};

/** The vocabulary is data: a source map of it would be as large as itself. */
async function bundle(input: Record<string, string>, output: OutputOptions): Promise<void> {
  const built = await rolldown({
    cwd: repository,
    input,
    platform: "node",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    plugins: [vocabularyByPlatform],
    transform: { target: "es2023" },
  });
  await built.write({
    dir: join(repository, "dist"),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    // Comments are for readers: they have the declarations and, through the source maps, the sources.
    comments: { jsdoc: false },
    minifyInternalExports: false,
    ...output,
  });
  await built.close();
}

await bundle(entries(), {
  sourcemap: true,
  codeSplitting: {
    // What the two most used doors need is one file each, whatever the other doors share with them.
    groups: [
      { name: "core", test: (id) => id === source("core/index.ts"), priority: 2 },
      { name: "engine", test: (id) => id === source("index.ts"), priority: 1 },
    ],
  },
});
await bundle({ "vocabulary/o200k": VOCABULARY }, { sourcemap: false });
writeCommonJsTypes();

/**
 * Node loads the same files for `import` and for `require`. TypeScript's `node16` does not know that, and refuses declarations of an ES
 * module in a CommonJS one: it gets the same declarations in a folder that says that it is CommonJS.
 */
function writeCommonJsTypes(): void {
  const from = join(repository, "dist");
  const to = join(from, "commonjs");
  const declarations = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".d.ts"),
  );
  for (const path of declarations) cpSync(join(from, path), join(to, path), { recursive: true });
  writeFileSync(join(to, "package.json"), '{ "type": "commonjs" }\n');
}
