import type { ToolUseBlock } from "../message/message.ts";
import { keyOf } from "../text/line-key.ts";
import { entriesOf, findRule } from "./find-rule.ts";
import { readCommand } from "./read-command.ts";
import { readPatch } from "./read-patch.ts";
import { normalize } from "./stand-in-call.ts";
import type { ToolKind } from "./tool-table.ts";

export interface FileTouch {
  readonly path: string;
  readonly touch: "read" | "modified" | "created" | "deleted";
}

/** What a call does, or did. */
export interface ToolAct {
  readonly kind: ToolKind;
  readonly files: readonly FileTouch[];
  readonly command?: string;
  /** Keys of the lines that a file no longer holds after it. */
  readonly removed: ReadonlySet<string>;
  /** Keys of the lines that it puts into a file. */
  readonly written: ReadonlySet<string>;
}

const acts = new WeakMap<ToolUseBlock, ToolAct>();

/** Reads what a call does from its tool and its arguments; once for each block. */
export function toolAct(call: ToolUseBlock): ToolAct {
  const known = acts.get(call);
  if (known !== undefined) return known;
  const act = readAct(call);
  acts.set(call, act);
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

/** The texts of the named arguments wherever they are; a name of "" stands for an input that is a text itself. */
function argumentTexts(input: unknown, names: readonly string[]): readonly string[] {
  const wanted = new Set(names.map(normalize));
  const found: string[] = [];
  const visit = (value: unknown, isWanted: boolean, depth: number): void => {
    if (typeof value === "string") {
      if (isWanted) found.push(value);
    } else if (Array.isArray(value)) {
      if (depth < MAX_DEPTH) for (const inner of value) visit(inner, isWanted, depth + 1);
    } else if (typeof value === "object" && value !== null && depth < MAX_DEPTH) {
      for (const [key, inner] of entriesOf(value)) visit(inner, wanted.has(normalize(key)), depth + 1);
    }
  };
  if (names.length > 0) visit(input, wanted.has(""), 0);
  return found;
}
