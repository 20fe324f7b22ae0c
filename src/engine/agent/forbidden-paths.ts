import { posix, win32 } from "node:path";

/** What a string of a call's arguments may be: a path, a command with paths in it, or any text. */
export type ArgumentKind = "path" | "command" | "text";

export interface PathGuard {
  readonly forbiddenPaths: readonly string[];
  readonly homeFolder: string;
  /** Relative paths that climb out of it begin in this folder. */
  readonly workingFolder: string;
}

/**
 * The part of an argument that names a forbidden path or something below one; undefined where there is none. It keeps an agent from what
 * it plainly says; commands that put a path together, and links, are for a sandbox to stop.
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

/** Every way to write one of these paths holds its last name, or something that stands for another; most words hold neither. */
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
      // A text that speaks of a path is no use of it; one that is nothing but a path may be.
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
  // One of a list, a mount or an option ends where the next begins.
  for (const match of word.matchAll(PATH_PART)) yield match[0].replace(/^file:\/\//, "");
}

/** One form for one place: `~`, `..`, doubled and backward slashes and, for Windows, letter case do not hide it. */
function normalize(given: string, { homeFolder, workingFolder }: PathGuard): string {
  const path = given.replace(/^\\\\[?.]\\/, "").replace(/^%(?:windir|systemroot)%/i, "C:\\Windows");
  if (/^[A-Za-z]:[\\/]/.test(path)) return trimSlash(win32.normalize(path).replaceAll("\\", "/").toLowerCase());
  const whole = path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => homeFolder);
  const normal = posix.normalize(whole);
  return trimSlash(normal.startsWith("..") ? posix.resolve(workingFolder, normal) : normal);
}

function trimSlash(path: string): string {
  // Two slashes at the front are one.
  const single = path.replace(/^\/\/+/, "/");
  return single.length > 1 ? single.replace(/\/$/, "") : single;
}
