import { posix } from "node:path";

/** A file as the check sees it; `path` is relative to the repository, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

type Folder = keyof typeof MAY_IMPORT;

/** Which folders of `src`, or which of their subfolders alone, a folder may import, besides itself. */
const MAY_IMPORT = {
  core: [],
  messages: ["core"],
  engine: ["core", "messages"],
  adapters: ["core"],
  transcripts: ["core"],
  providers: ["core"],
  stores: ["core"],
  checkpoints: ["core"],
  testing: ["core"],
  integrations: ["core", "engine", "messages"],
  gateway: ["core", "engine", "adapters", "integrations/mcp"],
  cli: ["core", "engine", "adapters", "transcripts", "providers", "stores", "checkpoints", "gateway", "integrations"],
  platform: ["core"],
  compat: ["core", "engine", "adapters"],
  index: ["core", "engine"],
} as const satisfies Record<string, readonly string[]>;

/** Subfolders that the others beside them share: what all adapters, or all converters, have in common. */
const SHARED_CHILDREN: Readonly<Partial<Record<Folder, string>>> = {
  adapters: "splice",
  messages: "shared",
  integrations: "shared",
};

/** Folders whose subfolders are independent of each other: one adapter never imports another. */
const INDEPENDENT_CHILDREN: ReadonlySet<Folder> = new Set([
  "adapters",
  "messages",
  "transcripts",
  "stores",
  "providers",
  "integrations",
]);

interface CoreRule {
  /** The files that it is for: all whose path begins so. */
  readonly of: string;
  /** All that they may import of core besides their own folder. */
  readonly mayImport: readonly string[];
  readonly reason: string;
}

const EVALS = "src/core/evals/";

/**
 * Narrower than the map: the evals grade the ledger, so they read texts with a scanner of their own. If both shared one, a name that it
 * does not see would be missing from the questions as from the answers, and no figure would show it. The first rule for a file counts.
 */
const CORE_RULES: readonly CoreRule[] = [
  { of: `${EVALS}identifiers/`, mayImport: [], reason: "the eval's scanner is its own" },
  {
    of: EVALS,
    mayImport: [
      ...["src/core/assert.ts", "src/core/message/", "src/core/tokens/", "src/core/transcript/"],
      // What is measured besides the ledger; and the texts of messages, which are no scanner.
      ...["src/core/recall/", "src/core/standing/", "src/core/text/message-texts.ts"],
    ],
    reason: "the evals read texts with a scanner of their own, not with that of the ledger that they grade",
  },
];

/** Who in core may import the evals: nobody who could write a ledger with their scanner. */
const MAY_IMPORT_EVALS: readonly string[] = [EVALS, "src/core/validators/", "src/core/index.ts"];

/** One line per forbidden import or unmapped folder; none means that the map holds. */
export function findBreaches(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    if (file.path.startsWith("bench/")) return benchBreaches(file);
    if (file.path.startsWith("dashboard/")) return dashboardBreaches(file);
    const folder = folderOf(file.path);
    if (folder === undefined) return [`${file.path}: its folder is not in the import map (scripts/import-map.ts)`];
    if (file.path.endsWith(".test.ts")) return [];
    return importsOf(file).flatMap((specifier) => {
      const breach = breachOf(file, folder, specifier);
      return breach === undefined ? [] : [`${file.path}: imports "${specifier}": ${breach}`];
    });
  });
}

/** Folders whose subfolders build on each other, in one direction. */
const LAYERED: readonly Folder[] = ["core", "engine", "gateway"];

/** One line per circle of subfolders that import each other. Files that bring subfolders together, such as an index, are not in one. */
export function findFolderCycles(files: readonly SourceFile[]): readonly string[] {
  return LAYERED.flatMap((folder) => {
    const imports = subfolderImports(files, folder);
    const starts = [...imports.keys()].toSorted();
    const cycles = starts.map((start) => shortestCycle(imports, start)).filter((cycle) => cycle !== undefined);
    // The same circle is found from each of its folders: it is told from the first by name.
    const told = cycles.filter((cycle) => cycle.every((name) => name >= (cycle[0] ?? "")));
    return told.map((cycle) => `src/${folder}: ${[...cycle, cycle[0]].join(" imports ")}: break the circle`);
  });
}

function subfolderImports(files: readonly SourceFile[], folder: Folder): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const from = childOf(file.path);
    if (folderOf(file.path) !== folder || from === undefined || file.path.endsWith(".test.ts")) continue;
    for (const specifier of importsOf(file).filter((each) => each.startsWith("."))) {
      const target = posix.join(posix.dirname(file.path), specifier);
      const to = folderOf(target) === folder ? childOf(target) : undefined;
      if (to === undefined || to === from) continue;
      const known = imports.get(from) ?? new Set();
      imports.set(from, known.add(to));
    }
  }
  return imports;
}

/** Folders from `start` back to it, each importing the next; undefined where there is no way back. */
function shortestCycle(
  imports: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
): readonly string[] | undefined {
  const seen = new Set<string>();
  let paths: readonly (readonly string[])[] = [[start]];
  while (paths.length > 0) {
    const next: (readonly string[])[] = [];
    for (const path of paths) {
      for (const folder of imports.get(path.at(-1) ?? "") ?? []) {
        if (folder === start) return path;
        if (seen.has(folder)) continue;
        seen.add(folder);
        next.push([...path, folder]);
      }
    }
    paths = next;
  }
  return undefined;
}

function breachOf(file: SourceFile, folder: Folder, specifier: string): string | undefined {
  if (specifier === "palimpsest" || specifier.startsWith("palimpsest/")) {
    return "src never imports itself by its public name";
  }
  if (!specifier.startsWith(".")) {
    return folder === "core" ? "core uses no package and nothing of the platform" : undefined;
  }
  const target = posix.join(posix.dirname(file.path), specifier);
  const targetFolder = folderOf(target);
  if (targetFolder === undefined) return "it is outside the folders of the import map";
  const allowed: readonly string[] = MAY_IMPORT[folder];
  if (targetFolder !== folder) {
    return allowed.includes(targetFolder) || allowed.includes(`${targetFolder}/${childOf(target)}`)
      ? undefined
      : `${folder} may import ${allowed.join(", ") || "nothing else of ours"}`;
  }
  if (folder === "core") return coreBreach(file.path, target);
  const [child, targetChild] = [childOf(file.path), childOf(target)];
  const isShared = targetChild !== undefined && targetChild === SHARED_CHILDREN[folder];
  return INDEPENDENT_CHILDREN.has(folder) && child !== undefined && child !== targetChild && !isShared
    ? `siblings in ${folder}/ never import each other`
    : undefined;
}

function coreBreach(path: string, target: string): string | undefined {
  const rule = CORE_RULES.find(({ of }) => path.startsWith(of));
  const isAllowed = rule === undefined || [rule.of, ...rule.mayImport].some((prefix) => target.startsWith(prefix));
  if (!isAllowed) return rule.reason;
  return target.startsWith(EVALS) && !MAY_IMPORT_EVALS.some((prefix) => path.startsWith(prefix))
    ? "in core, only validators use the evals"
    : undefined;
}

function benchBreaches(file: SourceFile): readonly string[] {
  return importsOf(file)
    .filter(
      (specifier) => specifier.startsWith(".") && !posix.join(posix.dirname(file.path), specifier).startsWith("bench/"),
    )
    .map((specifier) => `${file.path}: imports "${specifier}": bench uses public names only`);
}

const DASHBOARD_MODEL = "dashboard/src/model/";

/** The dashboard knows the gateway by HTTP alone, and its model knows neither the browser's page nor the network. */
function dashboardBreaches(file: SourceFile): readonly string[] {
  return importsOf(file).flatMap((specifier) => {
    const target = posix.join(posix.dirname(file.path), specifier);
    const breach = specifier.startsWith(".") ? dashboardBreach(file, target) : packageBreach(file, specifier);
    return breach === undefined ? [] : [`${file.path}: imports "${specifier}": ${breach}`];
  });
}

function dashboardBreach({ path }: SourceFile, target: string): string | undefined {
  if (path.endsWith(".test.ts")) return undefined;
  if (!target.startsWith("dashboard/src/")) return "the dashboard talks HTTP to the gateway, and imports nothing of it";
  const isModel = path.startsWith(DASHBOARD_MODEL);
  const isAllowed = target.startsWith(DASHBOARD_MODEL) || /^dashboard\/src\/api\/[\w-]*types\.ts$/.test(target);
  return isModel && !isAllowed
    ? "the dashboard's model is pure: it imports itself and the types of the API"
    : undefined;
}

function packageBreach({ path }: SourceFile, specifier: string): string | undefined {
  if (path.endsWith(".test.ts")) return undefined;
  if (path.startsWith(DASHBOARD_MODEL)) return "the dashboard's model uses no package";
  return specifier === "preact" || specifier === "preact/hooks" ? undefined : "the dashboard uses preact alone";
}

/** `src/core/tokens/x.ts` → core; `src/index.ts` → index; undefined for anything unmapped. */
function folderOf(path: string): Folder | undefined {
  const [top, second = ""] = path.split("/");
  const name = second.replace(/\.ts$/, "");
  return top === "src" && isFolder(name) ? name : undefined;
}

function isFolder(name: string): name is Folder {
  return Object.hasOwn(MAY_IMPORT, name);
}

/** The subfolder that a file lies in; undefined for those that bring the subfolders together. */
function childOf(path: string): string | undefined {
  const [, , child, ...rest] = path.split("/");
  return rest.length === 0 ? undefined : child;
}

// In formatted code a static import ends on a line that starts with import, export or a closing brace: words about imports
// in comments and texts do not.
const STATIC_IMPORT = /^[ \t]*(?:(?:import|export)\b[^"'`\n]*\bfrom|\}[ \t]*from|import)[ \t]*["']([^"'\n]+)["']/gm;
const DYNAMIC_IMPORT = /\bimport\s*\(\s*["'`]([^"'`\n]+)["'`]/g;

function importsOf(file: SourceFile): readonly string[] {
  return [STATIC_IMPORT, DYNAMIC_IMPORT].flatMap((pattern) =>
    [...file.text.matchAll(pattern)].map((match) => match[1] ?? ""),
  );
}
