interface Surroundings {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

interface TrimmedName {
  readonly value: string;
  /** Whether it ended with a slash. */
  readonly isFolder: boolean;
}

/** Removes the punctuation around a name, and prefixes without a meaning: `./a.ts` becomes `a.ts`, while `../a.ts`, `/a`, `~/a`, `--all` and `.env` stay. */
export function trimName(piece: string, around: Surroundings = {}): TrimmedName {
  const start = leadingCharacters(piece, around);
  let end = piece.length;
  while (end > start && "-./:@~".includes(piece.charAt(end - 1))) end--;
  return { value: piece.slice(start, end), isFolder: end < piece.length && piece.endsWith("/") };
}

function leadingCharacters(piece: string, around: Surroundings): number {
  let at = 0;
  while (at < piece.length) {
    const dropped = droppedAt(piece, at, around);
    if (dropped === 0) return at;
    at += dropped;
  }
  return at;
}

/** How many characters from `at` on cannot begin a name. */
function droppedAt(piece: string, at: number, around: Surroundings): number {
  const next = piece[at + 1];
  switch (piece[at]) {
    case "/":
      return droppedSlashes(piece, at, around);
    case ".":
      if (next === "." && piece[at + 2] === "/") return 0;
      if (next === "/") return 2;
      return isDotFile(piece, at, around) ? 0 : 1;
    case "~":
      return next === "/" ? 0 : 1;
    case "@":
      return SCOPE.test(piece.slice(at)) ? 0 : 1;
    case "-":
      return next === "-" && FLAG.test(piece.slice(at, at + 4)) ? 0 : 1;
    case ":":
      return 1;
    default:
      return 0;
  }
}

const SCOPE = /^@[a-z\d][\w.-]*\/[\w-]/i;
const FLAG = /^--[A-Za-z]\w/;

/** A single slash begins a path, two begin a comment, and one behind `<` ends an element. */
function droppedSlashes(piece: string, at: number, { before }: Surroundings): number {
  let end = at;
  while (piece[end] === "/") end++;
  const endsElement = at === 0 && before === "<";
  return end - at === 1 && !endsElement ? 0 : end - at;
}

const DOT_NAME = /^\.[A-Za-z_]\w{2}/;

/** `.env` and `.github/x`, but no method in a chain of calls. */
function isDotFile(piece: string, at: number, { before, after }: Surroundings): boolean {
  if (!DOT_NAME.test(piece.slice(at, at + 4))) return false;
  if (piece.includes("/", at)) return true;
  return after !== "(" && !(at === 0 && before !== undefined && ")]}\"'`".includes(before));
}
