import { posix, win32 } from "node:path";

/** A word of an argument that may be a path, also inside a command. */
const WORD = /[^\s"'`;|&<>(){}]+/g;
const MAX_TEXT = 100_000;

/** The first word of the arguments that names a forbidden path or something below one; undefined where there is none. */
export function findForbiddenPath(
  texts: Iterable<string>,
  { forbiddenPaths, homeFolder }: { readonly forbiddenPaths: readonly string[]; readonly homeFolder: string },
): string | undefined {
  const forbidden = forbiddenPaths.map((path) => normalize(path, homeFolder));
  for (const text of texts) {
    for (const [word] of text.slice(0, MAX_TEXT).matchAll(WORD)) {
      const path = normalize(word.replace(/^(?:file:\/\/|[\w-]+=)/, ""), homeFolder);
      if (forbidden.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) return word;
    }
  }
  return undefined;
}

/** One form for one place: `~`, `..`, doubled and backward slashes and, for Windows, letter case do not hide it. */
function normalize(path: string, homeFolder: string): string {
  const isWindows = /^[A-Za-z]:[\\/]/.test(path);
  if (isWindows) return win32.normalize(path).replaceAll("\\", "/").toLowerCase();
  const whole = path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, homeFolder);
  const normal = posix.normalize(whole);
  return normal.length > 1 ? normal.replace(/\/$/, "") : normal;
}
