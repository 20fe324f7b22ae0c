import { identifierKind } from "../text/identifier-kind.ts";
import { wordsOf } from "../text/words.ts";
import type { FileTouch } from "./tool-act.ts";

/** What programs do to the files that they name. */
const PROGRAMS: Readonly<Record<string, FileTouch["touch"]>> = {
  cat: "read",
  bat: "read",
  head: "read",
  tail: "read",
  nl: "read",
  less: "read",
  sed: "read",
  rm: "deleted",
  unlink: "deleted",
  tee: "modified",
  touch: "created",
};

const STEP = /\|\||&&|[;|\n]/;
/** Longer commands write files by here-documents; what follows is no command. */
const MAX_COMMAND_CHARACTERS = 2_000;
const REDIRECTION = /(?<![0-9&>])>{1,2}\s{0,4}([\w./@~-]{1,256})/g;

/** What looks like a path in `sed 's/a/b/'`, and is none. */
const SED_SCRIPT = /(['"])s[/|,#@][^'"]{0,500}\1/g;

/** The files that a shell command reads, writes or deletes, going by the commonest programs. */
export function readCommand(command: string): readonly FileTouch[] {
  const hereDocument = command.indexOf("<<");
  const end = hereDocument < 0 ? command.length : command.indexOf("\n", hereDocument);
  const head = command.slice(0, Math.min(end < 0 ? command.length : end, MAX_COMMAND_CHARACTERS));
  const files: FileTouch[] = [];
  for (const step of head.split(STEP)) {
    const [first = "", ...rest] = step.trim().split(/\s+/);
    const program = first.slice(first.lastIndexOf("/") + 1);
    if (Object.hasOwn(PROGRAMS, program)) {
      const isInPlace = program === "sed" && rest.some((word) => word.startsWith("-i"));
      const touch = isInPlace ? "modified" : (PROGRAMS[program] ?? "read");
      const read = step.replace(REDIRECTION, " ").replace(SED_SCRIPT, " ");
      for (const path of pathsIn(read)) files.push({ path, touch });
    }
    for (const match of step.matchAll(REDIRECTION)) {
      for (const path of pathsIn(match[1] ?? "")) files.push({ path, touch: "modified" });
    }
  }
  return files;
}

function pathsIn(text: string): readonly string[] {
  return [...wordsOf(text)].flatMap((word) =>
    identifierKind(word) === "path" && word.value !== "/dev/null" ? [word.value] : [],
  );
}
