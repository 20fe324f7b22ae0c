import { accessSync, constants, type Dirent, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { SkippedFile } from "./checkpoint.ts";
import { entriesOf, visitInSlices } from "./file-system.ts";
import type { GitOptions, RunGit } from "./git.ts";
import { foldersOf, LEFT_OUT_FOLDERS, withoutLeftOut } from "./left-out.ts";
import { decodeNames, encodeNames } from "./names.ts";

export interface ListedFiles {
  /** Files and links, relative to the workspace. */
  readonly paths: readonly string[];
  readonly skipped: readonly SkippedFile[];
}

/**
 * Lists every file of a workspace that its ignore rules do not ignore. Repositories inside it are listed as plain folders with their own
 * ignore rules, without their `.git`.
 */
export async function listFiles(runGit: RunGit, workspace: string): Promise<ListedFiles> {
  const top = await rulesFolder(runGit, workspace);
  const { paths, skipped } = await listRepository(runGit, top, workspace);
  return { paths: withoutLeftOut(paths), skipped };
}

async function listRepository(runGit: RunGit, top: string, folder: string): Promise<ListedFiles> {
  const options = rulesOf(top, folder);
  const excludes = LEFT_OUT_FOLDERS.map((name) => `--exclude=${name}/`);
  const output = await runGit(["ls-files", "--others", "--exclude-standard", "-z", ...excludes], options);
  const { names, undecodable } = decodeNames(output);
  const files = names.filter((name) => !name.endsWith("/"));
  const nested = names.filter((name) => name.endsWith("/"));
  const paths = [files];
  const skipped: SkippedFile[] = undecodable.map((path) => ({ path, reason: "undecodable-name" }));
  skipped.push(...(await findUnlisted(runGit, folder, { files, nested, options })));
  for (const name of nested) {
    const inner = await listRepository(runGit, join(folder, name), join(folder, name));
    paths.push(inner.paths.map((path) => name + path));
    skipped.push(...inner.skipped.map((file) => ({ ...file, path: name + file.path })));
  }
  return { paths: paths.flat(), skipped };
}

/** Options for git commands that apply the ignore rules of a repository to a folder. With an empty index, so that files are listed whether they are tracked or not. */
function rulesOf(top: string, folder: string): GitOptions {
  return { folder, workTree: top, index: "no-index", settings: { "core.excludesFile": excludeFileOf(top) } };
}

/** The folder whose ignore rules apply to the workspace: the repository that contains it, or the workspace itself. */
async function rulesFolder(runGit: RunGit, workspace: string): Promise<string> {
  const top = nearestRepository(workspace);
  if (top === undefined || top === workspace) return workspace;
  const names = relative(top, workspace).split(/[\\/]/);
  if (names.some((name) => LEFT_OUT_FOLDERS.includes(name))) return workspace;
  // The rules of a repository that ignores the whole workspace, as one of a home folder may, do not apply inside it.
  const ignored = await runGit(["check-ignore", "-z", "--stdin"], {
    ...rulesOf(top, top),
    input: `${names.join("/")}\0`,
    answers: [1],
  });
  return ignored.length > 0 ? workspace : top;
}

function nearestRepository(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : nearestRepository(dirname(folder));
}

/** A repository's private list of ignored files, also of a worktree or a submodule, whose `.git` is a file. */
function excludeFileOf(top: string): string {
  const dotGit = join(top, ".git");
  if (!(statSync(dotGit, { throwIfNoEntry: false })?.isFile() ?? false)) return join(dotGit, "info", "exclude");
  const gitFolder = resolve(
    top,
    readFileSync(dotGit, "utf8")
      .replace(/^gitdir:/, "")
      .trim(),
  );
  const commonFile = join(gitFolder, "commondir");
  const common = existsSync(commonFile) ? resolve(gitFolder, readFileSync(commonFile, "utf8").trim()) : gitFolder;
  return join(common, "info", "exclude");
}

interface Listed {
  readonly files: readonly string[];
  /** The repositories inside the folder, each with a slash at its end. */
  readonly nested: readonly string[];
  /** The git options with which the files were listed. */
  readonly options: GitOptions;
}

/** Finds entries that git omits without a message: sockets, pipes, devices, and folders that cannot be read. */
async function findUnlisted(runGit: RunGit, folder: string, listed: Listed): Promise<readonly SkippedFile[]> {
  const nested = listed.nested.map((name) => name.slice(0, -1));
  const folders = new Set(["", ...[...listed.files, ...nested].flatMap(foldersOf)]);
  const known = new Set([...folders, ...nested]);
  const found: SkippedFile[] = [];
  await visitInSlices(folders, (path) => {
    for (const entry of entriesOf(join(folder, path))) {
      const entryPath = path === "" ? entry.name : `${path}/${entry.name}`;
      if (isSpecial(entry)) found.push({ path: entryPath, reason: "special" });
      else if (!entry.isDirectory() || known.has(entryPath)) continue;
      else if (isUnreadableFolder(folder, entryPath, entry.name)) found.push({ path: entryPath, reason: "unreadable" });
    }
  });
  if (found.length === 0) return [];
  const input = encodeNames(found.map(({ path }) => path));
  const output = await runGit(["check-ignore", "-z", "--stdin"], { ...listed.options, input, answers: [1] });
  const ignored = new Set(decodeNames(output).names);
  return found.filter(({ path }) => !ignored.has(path));
}

function isSpecial(entry: Dirent): boolean {
  return entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice();
}

function isUnreadableFolder(folder: string, path: string, name: string): boolean {
  if (name.toLowerCase() === ".git" || LEFT_OUT_FOLDERS.includes(name)) return false;
  try {
    accessSync(join(folder, path), constants.R_OK | constants.X_OK);
    return false;
  } catch {
    return true;
  }
}
