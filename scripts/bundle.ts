/**
 * Bundles `src` into `dist`: one file for each subpath and command of package.json, and shared chunks.
 *
 * Three hundred small modules take several times as long to load as a few files. Declarations are written by tsc.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { type ChunkingContext, type CodeSplittingGroup, type OutputOptions, type Plugin, rolldown } from "rolldown";

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
  const targets = [
    ...Object.values(exports), // npm publishes paths of programs without the dot that exports must have.
    ...Object.values(bin).map((path) => `./${path}`),
  ].flatMap((target) => (typeof target === "string" ? target : target.default));
  const names = targets.flatMap((target) => /^\.\/dist\/(.+)\.js$/.exec(target)?.[1] ?? []);
  return {
    ...Object.fromEntries(names.map((name) => [name, source(`${name}.ts`)])),
    "vocabulary/node": source("platform/node-vocabulary.ts"),
    // Threads start from files of their own.
    "gateway/ledger-worker": source("gateway/ledger/ledger-worker.ts"),
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

/**
 * What the two most used doors need is in a few files, whatever the other doors share with them. What an engine loads later is apart from what it
 * begins with: bundlers move whole files, so that one function of a file would bring all of it.
 */
function chunkGroups(): CodeSplittingGroup[] {
  let chunks: ReadonlyMap<string, string> | undefined;
  const chunkOf = (id: string, context: ChunkingContext) => {
    chunks ??= nameChunks(context);
    return chunks.get(id) ?? null;
  };
  const names = ["core", "engine", "late-core", "late-engine", "rest-of-core"];
  return names.map((name, index) => ({
    debugName: name,
    name: (id, context) => (chunkOf(id, context) === name ? name : null),
    priority: names.length - index,
  }));
}

/** By module, the chunk that it goes to; those before take what those after would take too. */
function nameChunks(context: ChunkingContext): ReadonlyMap<string, string> {
  const importsOf = (id: string) => context.getModuleInfo(id)?.importedIds ?? [];
  const closure = (ids: Iterable<string>): ReadonlySet<string> => {
    const found = new Set(ids);
    // A set may grow while it is walked.
    for (const id of found) for (const imported of importsOf(id)) if (isAbsolute(imported)) found.add(imported);
    return found;
  };
  const first = closure([source("engine/create-engine.ts")]);
  const isConverter = (id: string) => id.startsWith(source("messages/"));
  const loadedLater = [...first].flatMap((id) => context.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
  const late = closure(loadedLater.filter((id) => isAbsolute(id) && !isConverter(id)));
  const isCore = (id: string) => id.startsWith(source("core/"));
  const chunks = new Map<string, string>();
  const assign = (ids: Iterable<string>, nameOf: (id: string) => string) => {
    for (const id of ids) if (!chunks.has(id)) chunks.set(id, nameOf(id));
  };
  assign(first, (id) => (isCore(id) ? "core" : "engine"));
  assign([...late, ...closure([source("index.ts")])], (id) => (isCore(id) ? "late-core" : "late-engine"));
  assign(closure([source("core/index.ts")]), () => "rest-of-core");
  return chunks;
}

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

await bundle(entries(), { sourcemap: true, codeSplitting: { groups: chunkGroups() } });
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
