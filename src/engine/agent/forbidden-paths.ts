import { posix, win32 } from "node:path";

/** The kind of a string argument: a path, a command with paths in it, or any text. */
export type ArgumentKind = "path" | "command" | "text";

export interface PathGuard {
  readonly forbiddenPaths: readonly string[];
  readonly homeFolder: string;
  /** The folder that relative paths with `..` begin in. */
  readonly workingFolder: string;
}

/**
 * The part of an argument that names a forbidden path or something below one; undefined where there is none. It finds paths that are written out;
 * commands that compose a path, and links, need a sandbox.
 */
export function findForbiddenPath(text: string, kind: ArgumentKind, guard: PathGuard): string | undefined {
  const forbidden = guard.forbiddenPaths.map((path) => normalize(path, guard));
  const isSuspect = suspicionOf(forbidden);
  const isForbidden = (candidate: string) => {
    if (!isSuspect(candidate)) return false;
    const path = normalize(candidate, guard);
    return forbidden.some((prefix) => path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`));
  };
  for (const candidate of candidatesOf(text, kind)) if (isForbidden(candidate)) return candidate;
  return undefined;
}

/** A fast test that most words fail: a spelling of one of these paths has its last name, or a character that stands for something else. */
function suspicionOf(paths: readonly string[]): (candidate: string) => boolean {
  const names = [...new Set(paths.map((path) => path.slice(path.lastIndexOf("/") + 1).toLowerCase()))];
  return (candidate) => {
    const lower = candidate.toLowerCase();
    return /\.\.|[~$%]/.test(lower) || names.some((name) => lower.includes(name));
  };
}

function* candidatesOf(text: string, kind: ArgumentKind): Generator<string> {
  const whole = text.trim();
  switch (kind) {
    case "path":
      yield whole;
      return;
    case "text":
      // A text may mention any path; only a text that is nothing but a path may be a use of it.
      if (!/\s/.test(whole)) yield* wordCandidates(whole);
      return;
    case "command":
      yield whole;
      for (const [, double, single] of text.matchAll(QUOTED)) yield double ?? single ?? "";
      for (const form of new Set([text, text.replace(/["'`]/g, ""), text.replace(/\\ /g, "\u0000")])) {
        for (const [word] of form.matchAll(WORD)) yield* wordCandidates(word.replaceAll("\u0000", " "));
      }
  }
}

const QUOTED = /"([^"]*)"|'([^']*)'/g;
const WORD = /[^\s"'`;|&<>()]+/g;
/** A path inside a word, after what may stand before it: `--file=`, `@` of curl, `host:`, `[`. */
const PATH_PART =
  /(?<=^|[=:,@[{])(?:file:\/\/)?(?:~|\$HOME|\$\{HOME\}|\.{1,2}[\\/]|[\\/]|[A-Za-z]:[\\/])[^:,@=[\]{}]*/g;

function* wordCandidates(word: string): Generator<string> {
  yield word;
  // A path in a list, a mount or an option ends where the next one begins.
  for (const match of word.matchAll(PATH_PART)) yield match[0].replace(/^file:\/\//, "");
}

/** The normal form of a path: without `~`, `..`, doubled and backward slashes and, on Windows, upper case. */
function normalize(given: string, { homeFolder, workingFolder }: PathGuard): string {
  const path = given.replace(/^\\\\[?.]\\/, "").replace(/^%(?:windir|systemroot)%/i, "C:\\Windows");
  if (/^[A-Za-z]:[\\/]/.test(path)) return trimSlash(win32.normalize(path).replaceAll("\\", "/").toLowerCase());
  const whole = path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => homeFolder);
  const normal = posix.normalize(whole);
  return trimSlash(normal.startsWith("..") ? posix.resolve(workingFolder, normal) : normal);
}

function trimSlash(path: string): string {
  // Several slashes at the front count as one.
  const single = path.replace(/^\/\/+/, "/");
  return single.length > 1 ? single.replace(/\/$/, "") : single;
}
