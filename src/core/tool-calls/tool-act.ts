import type { ToolUseBlock } from "../message/message.ts";
import { identifierKind } from "../text/identifier-kind.ts";
import { keyOf } from "../text/line-key.ts";
import { wordsOf } from "../text/words.ts";
import { findRule } from "./find-rule.ts";
import { entriesOf, normalize } from "./stand-in-call.ts";
import type { ToolKind } from "./tool-table.ts";

export interface FileTouch {
  readonly path: string;
  readonly touch: "read" | "modified" | "created" | "deleted";
}

/** The effects of a tool call. */
export interface ToolAct {
  readonly kind: ToolKind;
  readonly files: readonly FileTouch[];
  readonly command?: string;
  /** Keys of the lines that the call removes from a file. */
  readonly removed: ReadonlySet<string>;
  /** Keys of the lines that the call writes to a file. */
  readonly written: ReadonlySet<string>;
}

const cachedActs = new WeakMap<ToolUseBlock, ToolAct>();

/** Derives the effects of a call from its tool and its arguments; once for each block. */
export function toolAct(call: ToolUseBlock): ToolAct {
  const cached = cachedActs.get(call);
  if (cached !== undefined) return cached;
  const act = readAct(call);
  cachedActs.set(call, act);
  return act;
}

const TOUCHES = { read: "read", write: "created", edit: "modified", delete: "deleted" } as const;

function readAct(call: ToolUseBlock): ToolAct {
  const rule = findRule(call);
  const { kind } = rule;
  const values = (names: readonly string[] | undefined) => argumentTexts(call.input, names ?? []);
  const command = values(rule.command).join("\n");
  const patches = values(rule.patch).map(readPatch);
  const touch = kind === "read" || kind === "write" || kind === "edit" || kind === "delete" ? TOUCHES[kind] : undefined;
  const paths = touch === undefined ? [] : values(rule.path).filter(isPath);
  const written = lineKeys([...values(rule.newText), ...patches.flatMap((patch) => patch.written)]);
  const removed = lineKeys([...values(rule.oldText), ...patches.flatMap((patch) => patch.removed)]);
  const files = [
    ...paths.flatMap((path) => (touch === undefined ? [] : [{ path, touch }])),
    ...patches.flatMap((patch) => patch.files),
    ...(kind === "run" ? readCommand(command) : []),
  ];
  return {
    kind: kind === "run" && patches.some((patch) => patch.files.length > 0) ? "edit" : kind,
    files,
    ...(command === "" ? {} : { command }),
    removed: new Set([...removed].filter((line) => !written.has(line))),
    written,
  };
}

const MAX_PATH_CHARACTERS = 256;

function isPath(text: string): boolean {
  return text !== "" && text.length <= MAX_PATH_CHARACTERS && !/[\r\n]/.test(text);
}

function lineKeys(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(/\r\n|\r|\n/)).map(keyOf));
}

/** Deeper values are data. */
const MAX_DEPTH = 6;

/** The texts of the named arguments at any depth; the name "" stands for an input that is a string itself. */
function argumentTexts(input: unknown, names: readonly string[]): readonly string[] {
  const wanted = new Set(names.map(normalize));
  const texts: string[] = [];
  const visit = (value: unknown, isWanted: boolean, depth: number): void => {
    if (typeof value === "string") {
      if (isWanted) texts.push(value);
    } else if (Array.isArray(value)) {
      if (depth < MAX_DEPTH) for (const inner of value) visit(inner, isWanted, depth + 1);
    } else if (typeof value === "object" && value !== null && depth < MAX_DEPTH) {
      for (const [key, inner] of entriesOf(value)) visit(inner, wanted.has(normalize(key)), depth + 1);
    }
  };
  if (names.length > 0) visit(input, wanted.has(""), 0);
  return texts;
}

/** What programs do to the files in their arguments. */
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

const STEP = /\|\||&&|[;|\n]/g;
/** The rest of a longer command is the text of a file, not a command. */
const MAX_COMMAND_CHARACTERS = 2_000;
const REDIRECTION = /(?<![0-9&>])>{1,2}\s{0,4}([\w./@~-]{1,256})/g;

/** The script of `sed`, right after its flags: it looks like a path, and is none. */
const SED_SCRIPT = /^(\s*\S{0,200}sed(?:\s+(?:-\S{1,40}|''|""))*\s+)(?:'[^']{0,2000}'|"[^"]{0,2000}")/;

/** The files that a shell command reads, writes or deletes, for the most common programs. */
function readCommand(command: string): readonly FileTouch[] {
  const hereDocument = command.indexOf("<<");
  const end = hereDocument < 0 ? command.length : command.indexOf("\n", hereDocument);
  const head = command.slice(0, Math.min(end < 0 ? command.length : end, MAX_COMMAND_CHARACTERS));
  const files: FileTouch[] = [];
  for (const { step, unquoted } of stepsOf(head)) {
    const [first = "", ...rest] = step.trim().split(/\s+/);
    const program = first.slice(first.lastIndexOf("/") + 1);
    const redirections = [...unquoted.matchAll(REDIRECTION)];
    if (Object.hasOwn(PROGRAMS, program)) {
      const isInPlace = program === "sed" && rest.some((word) => word.startsWith("-i"));
      const touch = isInPlace ? "modified" : (PROGRAMS[program] ?? "read");
      let read = step;
      for (const { 0: all, index } of redirections) {
        read = read.slice(0, index) + " ".repeat(all.length) + read.slice(index + all.length);
      }
      if (program === "sed") read = read.replace(SED_SCRIPT, "$1");
      for (const path of pathsIn(read)) files.push({ path, touch });
    }
    for (const match of redirections) {
      for (const path of pathsIn(match[1] ?? "")) files.push({ path, touch: "modified" });
    }
  }
  return files;
}

interface Step {
  readonly step: string;
  /** The step, with blanks in place of quoted text. */
  readonly unquoted: string;
}

/** The simple commands of a shell command. Operators inside quotes do not separate them. */
function stepsOf(command: string): readonly Step[] {
  const blanked = blankQuoted(command);
  const steps: Step[] = [];
  let start = 0;
  for (const { 0: divider, index } of blanked.matchAll(STEP)) {
    steps.push({ step: command.slice(start, index), unquoted: blanked.slice(start, index) });
    start = index + divider.length;
  }
  steps.push({ step: command.slice(start), unquoted: blanked.slice(start) });
  return steps;
}

function blankQuoted(command: string): string {
  let blanked = "";
  let quote = "";
  for (let at = 0; at < command.length; at++) {
    const character = command.charAt(at);
    if (character === "\\" && quote !== "'") {
      blanked += "  ";
      at += 1;
      continue;
    }
    const isQuote = quote === "" ? character === '"' || character === "'" : character === quote;
    blanked += isQuote || quote !== "" ? " " : character;
    if (isQuote) quote = quote === "" ? character : "";
  }
  // A quote without an end is an apostrophe.
  return quote === "" ? blanked.slice(0, command.length) : command;
}

function pathsIn(text: string): readonly string[] {
  return [...wordsOf(text)].flatMap((word) =>
    identifierKind(word) === "path" && word.value !== "/dev/null" ? [word.value] : [],
  );
}

/** The files that a patch touches, and the lines that it removes and writes; context lines are in both lists. */
interface Patch {
  readonly files: readonly FileTouch[];
  readonly removed: readonly string[];
  readonly written: readonly string[];
}

const HEAD = /^\*\*\* (Add|Update|Delete) File: (\S.{0,255})$/;
const PATCH_TOUCHES = { Add: "created", Update: "modified", Delete: "deleted" } as const;
const SEARCH = /^<{5,9} ?SEARCH\b/;
const DIVIDER = /^={5,9}$/;
const REPLACE = /^>{5,9} ?REPLACE\b/;

/** Reads patches in the format of apply_patch, and SEARCH and REPLACE blocks; empty for a text without either. */
function readPatch(text: string): Patch {
  const patch = { files: [] as FileTouch[], removed: [] as string[], written: [] as string[] };
  const isPatch = text.includes("*** Begin Patch");
  if (!isPatch && !text.includes("SEARCH")) return patch;
  let side: "none" | "patch" | "search" | "replace" = "none";
  for (const line of text.split(/\r\n|\r|\n/)) {
    const head = isPatch ? HEAD.exec(line) : null;
    if (head !== null) {
      const verb = head[1] === "Add" || head[1] === "Delete" ? head[1] : "Update";
      patch.files.push({ path: (head[2] ?? "").trim(), touch: PATCH_TOUCHES[verb] });
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
