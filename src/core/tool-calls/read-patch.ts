import type { FileTouch } from "./tool-act.ts";

/** What a patch does to files, and the lines that it takes away and puts in; lines that stay are in both. */
export interface Patch {
  readonly files: readonly FileTouch[];
  readonly removed: readonly string[];
  readonly written: readonly string[];
}

const HEAD = /^\*\*\* (Add|Update|Delete) File: (\S.{0,255})$/;
const TOUCHES = { Add: "created", Update: "modified", Delete: "deleted" } as const;
const SEARCH = /^<{5,9} ?SEARCH\b/;
const DIVIDER = /^={5,9}$/;
const REPLACE = /^>{5,9} ?REPLACE\b/;

/** Reads patches in the format of apply_patch, and SEARCH and REPLACE blocks; nothing else in a text is taken for one. */
export function readPatch(text: string): Patch {
  const patch = { files: [] as FileTouch[], removed: [] as string[], written: [] as string[] };
  const isPatch = text.includes("*** Begin Patch");
  if (!isPatch && !text.includes("SEARCH")) return patch;
  let side: "none" | "patch" | "search" | "replace" = "none";
  for (const line of text.split(/\r\n|\r|\n/)) {
    const head = isPatch ? HEAD.exec(line) : null;
    if (head !== null) {
      const verb = head[1] === "Add" || head[1] === "Delete" ? head[1] : "Update";
      patch.files.push({ path: (head[2] ?? "").trim(), touch: TOUCHES[verb] });
      side = "patch";
    } else if (line.startsWith("*** End Patch")) side = "none";
    else if (SEARCH.test(line)) side = "search";
    else if (side === "search" && DIVIDER.test(line.trimEnd())) side = "replace";
    else if (side === "replace" && REPLACE.test(line)) side = "none";
    else if (side === "search") patch.removed.push(line);
    else if (side === "replace") patch.written.push(line);
    else if (side === "patch") addPatchLine(patch, line);
  }
  return patch;
}

function addPatchLine({ removed, written }: { removed: string[]; written: string[] }, line: string): void {
  if (!line.startsWith("+")) removed.push(line.slice(1));
  if (!line.startsWith("-")) written.push(line.slice(1));
}
