import { posix, win32 } from "node:path";

/** What a string of a call's arguments may be: a path, a command with paths in it, or any text. */
export type ArgumentKind = "path" | "command" | "text";

export interface PathGuard {
  readonly forbiddenPaths: readonly string[];
  readonly homeFolder: string;
  /** Where relative paths that climb out of it begin. */
  readonly workingFolder: string;
}

/**
 * The part of an argument that names a forbidden path or something below one; undefined where there is none. It keeps an agent from what
 * it plainly says; commands that put a path together, and links, are for a sandbox to stop.
 */
export function findForbiddenPath(text: string, kind: ArgumentKind, guard: PathGuard): string | undefined {
  const forbidden = guard.forbiddenPaths.map((path) => normalize(path, guard));
  const isForbidden = (candidate: string) => {
    const path = normalize(candidate, guard);
    return forbidden.some((prefix) => path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`));
  };
  for (const candidate of candidatesOf(text, kind)) if (isForbidden(candidate)) return candidate;
  return undefined;
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
const WORD = /[^\s"'`;|&<>(){}]*[/\\~$%][^\s"'`;|&<>()]*/g;
/** What stands before a path inside a word: `--file=`, `-v `, `@` of curl, `host:`. */
const PATH_START = /(?<=^|[=:,@[])(?:file:\/\/)?(~|\$HOME|\$\{HOME\}|\.{1,2}[\\/]|[\\/]|[A-Za-z]:[\\/])/g;

function* wordCandidates(word: string): Generator<string> {
  yield word;
  for (const match of word.matchAll(PATH_START)) {
    const path = word.slice(match.index).replace(/^file:\/\//, "");
    yield path;
    // A list of paths, or a mount: the first one ends here.
    const [first = ""] = path.slice(2).split(/[:,\]]/, 1);
    yield path.slice(0, 2) + first;
  }
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
