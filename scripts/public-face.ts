/**
 * What each subpath of the package exports, read from the built declarations with the compiler's own API.
 *
 * TypeScript 7 calls that API unstable; its version is pinned, and this file is the only one that uses it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { API, type Project, type Symbol as Sym, SymbolFlags } from "typescript/unstable/sync";

export interface PublicName {
  readonly name: string;
  /** The file of its declaration, relative to the folder of the build. */
  readonly file: string;
}

export interface PublicValue extends PublicName {
  /** What its comment says before the first tag. */
  readonly contract: string;
  readonly examples: readonly string[];
}

/** One subpath of the package: what is imported from it. */
export interface Door {
  readonly specifier: string;
  readonly values: readonly PublicValue[];
  readonly types: readonly PublicName[];
  /** Types that a declaration of this door names and that cannot be imported from it. */
  readonly unexported: readonly (PublicName & { readonly namedBy: string })[];
  /** Types of this door that none of its values names, nor a type that one of them names, and so on. */
  readonly unreachable: readonly PublicName[];
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: { readonly default: string } }>>;
}

/** The doors that package.json lists, in its order. */
export function readDoors(repository: string): readonly Door[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
    typeof target === "string" ? [] : [{ specifier: subpath.replace(/^\./, "palimpsest"), path: target.types.default }],
  );
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-face-"));
  const config = join(folder, "tsconfig.json");
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023"],
    types: ["node"],
    typeRoots: [join(repository, "node_modules/@types")],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const files = entries.map(({ path }) => join(repository, path));
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const api = new API();
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`TypeScript opened no project for ${config}.`);
    const reader = { project, build: join(repository, "dist") + sep };
    return entries.map(({ specifier, path }) => readDoor(reader, specifier, join(repository, path)));
  } finally {
    api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Reader {
  readonly project: Project;
  readonly build: string;
}

function readDoor(reader: Reader, specifier: string, path: string): Door {
  const { checker, program } = reader.project;
  const file = program.getSourceFile(path);
  const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${path} is not a module. Build first: npm run build.`);
  const exported = checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, target: targetOf(reader, symbol) }));
  const isValue = ({ target }: { readonly target: Sym }) => (target.flags & SymbolFlags.Value) !== 0;
  const nameOf = ({ name, target }: { readonly name: string; readonly target: Sym }) => ({
    name,
    file: fileOf(reader, target) ?? "",
  });
  const ids = new Set(exported.map(({ target }) => target.id));
  const reachable = reachableFrom(
    reader,
    exported.filter(isValue).map(({ target }) => target),
  );
  return {
    specifier,
    values: exported.filter(isValue).map((value) => ({ ...nameOf(value), ...commentOf(reader, value.target) })),
    types: exported.filter((each) => !isValue(each)).map(nameOf),
    unreachable: exported.filter((each) => !isValue(each) && !reachable.has(each.target.id)).map(nameOf),
    unexported: exported.flatMap(({ name, target }) =>
      namedSymbols(reader, target)
        .filter(({ id }) => !ids.has(id))
        .map((symbol) => ({ name: symbol.name, file: fileOf(reader, symbol) ?? "", namedBy: name })),
    ),
  };
}

function commentOf({ project: { checker } }: Reader, symbol: Sym): Pick<PublicValue, "contract" | "examples"> {
  const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === "example");
  return { contract: symbol.getDocumentationComment(checker), examples: tags.map(({ text = "" }) => text) };
}

function targetOf({ project: { checker } }: Reader, symbol: Sym): Sym {
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** Undefined where it is not declared by this package: a type of the language or of Node. */
function fileOf({ build }: Reader, symbol: Sym): string | undefined {
  const path = symbol.declarations[0]?.path;
  return path?.startsWith(build) ? path.slice(build.length) : undefined;
}

/** Our own symbols that the declarations of `symbol` name outside themselves. */
function namedSymbols(reader: Reader, symbol: Sym): readonly Sym[] {
  const { checker } = reader.project;
  const declarations = symbol.declarations.flatMap((handle) => handle.resolve() ?? []);
  const names = declarations.flatMap(typeNames);
  return checker
    .getSymbolAtLocation(names)
    .flatMap((found) => (found === undefined ? [] : [targetOf(reader, found)]))
    .filter((found) => (found.flags & SymbolFlags.TypeParameter) === 0 && fileOf(reader, found) !== undefined);
}

/** The ids of these symbols, and of all that their declarations name, directly or through others. */
function reachableFrom(reader: Reader, symbols: readonly Sym[]): ReadonlySet<Sym["id"]> {
  const found = new Map(symbols.map((symbol) => [symbol.id, symbol]));
  // A map also gives what is added to it while it is read.
  for (const symbol of found.values()) {
    for (const named of namedSymbols(reader, symbol)) if (!found.has(named.id)) found.set(named.id, named);
  }
  return new Set(found.keys());
}

/** `typeof VALUE` is not among them: what it stands for is known without the value. */
const NAMING_KINDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.TypeReference,
  SyntaxKind.ExpressionWithTypeArguments,
]);

function typeNames(node: Node): readonly Node[] {
  const own = NAMING_KINDS.has(node.kind);
  const names: Node[] = [];
  node.forEachChild((child) => {
    if (own && child.kind === SyntaxKind.Identifier) names.push(child);
    else names.push(...typeNames(child));
  });
  return names;
}
