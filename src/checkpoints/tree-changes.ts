import type { FileKind } from "./checkpoint.ts";
import type { RunGit } from "./git.ts";
import { decodeNames } from "./names.ts";
import { damaged } from "./records.ts";

/** A path that differs between two trees; a side is undefined where it has no such file. */
export interface TreeChange {
  readonly path: string;
  readonly before: TreeFile | undefined;
  readonly after: TreeFile | undefined;
}

export interface TreeFile {
  readonly kind: FileKind;
  readonly object: string;
}

const KINDS: Readonly<Record<string, FileKind>> = { "100644": "file", "100755": "executable", "120000": "link" };
const NOTHING = "000000";
/** Git's hash of the empty tree, which it knows in every repository. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** Arguments that compare two trees file by file, whatever the user has configured. */
export const COMPARE = [
  "diff-tree",
  "-r",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--full-index",
];

/** The files that differ between two trees. Throws where a tree has an entry that we never write. */
export async function compareTrees(runGit: RunGit, before: string, after: string): Promise<readonly TreeChange[]> {
  const { names: fields, undecodable } = decodeNames(await runGit([...COMPARE, "--raw", "-z", before, after]));
  if (undecodable.length > 0 || fields.length % 2 !== 0) throw damaged();
  const changes: TreeChange[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const [beforeMode = "", afterMode = "", beforeObject = "", afterObject = ""] = (fields[index] ?? "")
      .slice(1)
      .split(" ");
    changes.push({
      path: assertPath(fields[index + 1] ?? ""),
      before: treeFile(beforeMode, beforeObject),
      after: treeFile(afterMode, afterObject),
    });
  }
  return changes;
}

/** Throws on an unsafe path: a tampered tree must not make us write outside the workspace, or into a `.git` folder. */
function assertPath(path: string): string {
  const isSafe = path.split("/").every((name) => !["", ".", "..", ".git"].includes(name.toLowerCase()));
  if (!isSafe || (process.platform === "win32" && /[\\:]/.test(path))) throw damaged();
  return path;
}

function treeFile(mode: string, object: string): TreeFile | undefined {
  if (mode === NOTHING) return undefined;
  const kind = KINDS[mode];
  if (kind === undefined) throw damaged();
  return { kind, object };
}
