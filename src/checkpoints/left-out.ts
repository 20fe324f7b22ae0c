/** Folders that tools generate and can generate again. Names with other common meanings (vendor, target, env) are not in the list. */
export const LEFT_OUT_FOLDERS: readonly string[] = [
  // Dependencies.
  "node_modules",
  "bower_components",
  "jspm_packages",
  ".pnpm-store",
  "__pypackages__",
  "site-packages",
  // Virtual environments.
  ".venv",
  "venv",
  ".virtualenv",
  ".conda",
  ".direnv",
  ".tox",
  ".nox",
  // Caches of builds, tests and linters.
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".hypothesis",
  ".ipynb_checkpoints",
  ".eggs",
  ".cache",
  ".parcel-cache",
  ".sass-cache",
  ".turbo",
  ".next",
  ".nuxt",
  ".svelte-kit",
  ".angular",
  ".expo",
  ".swc",
  ".nyc_output",
  ".gradle",
  ".dart_tool",
  ".terraform",
  ".serverless",
  ".aws-sam",
  ".stack-work",
  "dist-newstyle",
  ".bloop",
  ".metals",
  "DerivedData",
];

/** Files that mark their folder, whatever its name, as a cache or a Python environment. */
const FOLDER_MARKERS: ReadonlySet<string> = new Set(["CACHEDIR.TAG", "pyvenv.cfg"]);

/** The paths outside of `.git` folders and of folders with a marker file. */
export function withoutLeftOut(paths: readonly string[]): readonly string[] {
  const marked = new Set(paths.filter((path) => FOLDER_MARKERS.has(nameOf(path))).map(folderOf));
  // A marker at the top would leave out everything, but the caller asked for checkpoints of this folder.
  marked.delete("");
  return paths.filter((path) => !isInRepositoryFolder(path) && (marked.size === 0 || !isBelow(path, marked)));
}

/** Every folder on the way to a path, the innermost first, without the workspace itself. */
export function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) folders.push(folder);
  return folders;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  return foldersOf(path).some((folder) => folders.has(folder));
}

// Ignores case: on some file systems `.GIT` is the same folder, and git refuses it everywhere.
function isInRepositoryFolder(path: string): boolean {
  return /(?:^|\/)\.git(?:\/|$)/i.test(path);
}
