import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { SkippedFile } from "./checkpoint.ts";
import { findUnlisted } from "./find-unlisted.ts";
import type { GitOptions, RunGit } from "./git.ts";
import { LEFT_OUT_FOLDERS, withoutLeftOut } from "./left-out.ts";
import { decodeNames } from "./names.ts";

export interface ListedFiles {
  /** Files and links, relative to the workspace. */
  readonly paths: readonly string[];
  readonly skipped: readonly SkippedFile[];
}

/**
 * Every file of a workspace that its ignore rules do not leave out. Repositories in it are folders like others, with their own
 * ignore rules, but for their `.git`.
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

/** Git looks at files as if nothing were saved yet: what is known must not change what is listed. */
function rulesOf(top: string, folder: string): GitOptions {
  return { folder, workTree: top, index: "no-index", settings: { "core.excludesFile": excludeFileOf(top) } };
}

/** The folder whose ignore rules hold for the workspace: that of the repository it is a part of, or itself. */
async function rulesFolder(runGit: RunGit, workspace: string): Promise<string> {
  const top = nearestRepository(workspace);
  if (top === undefined || top === workspace) return workspace;
  const names = relative(top, workspace).split(/[\\/]/);
  if (names.some((name) => LEFT_OUT_FOLDERS.includes(name))) return workspace;
  // A repository that ignores the workspace, as one of a home folder may, has nothing to say about what is in it.
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
