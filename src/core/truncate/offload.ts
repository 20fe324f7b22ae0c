import { assertFunction, assertNumber, assertObject } from "../assert.ts";
import { type Block, type BlockFold, isKnownBlock, type Message } from "../message/message.ts";
import { contentBlocks, isToolResult } from "../message/tool-pairs.ts";
import { resultText } from "../standing/result-text.ts";

/** Which outputs of tools are moved to files, and where these are. */
export interface OffloadRule {
  /** Smaller outputs are not moved. */
  readonly minTokens: number;
  /** The path for a file name; undefined where no file can be written. */
  readonly pathOf: (name: string) => string | undefined;
}

/** Throws unless a rule, if there is one, can be followed. */
export function checkOffload(rule: OffloadRule | undefined): void {
  if (rule === undefined) return;
  assertObject("offload", rule);
  assertNumber("offload.minTokens", rule.minTokens);
  assertFunction("offload.pathOf", rule.pathOf);
}

/** The file that a stand-in names. */
export interface NamedFile {
  readonly name: string;
  readonly path: string;
}

/** The file for a block of so many tokens; undefined where the block is too small, is no tool result, or holds more than text. */
export function fileFor(block: Block, tokens: number, rule: OffloadRule | undefined): NamedFile | undefined {
  if (rule === undefined || tokens < rule.minTokens) return undefined;
  const name = offloadName(block);
  const path = name === undefined ? undefined : rule.pathOf(name);
  return name === undefined || path === undefined ? undefined : { name, path };
}

/** A name and the whole text that belongs in the file of that name. */
export interface FileText {
  readonly name: string;
  readonly text: string;
}

/** The files that the folds of `after` name and those of `before` do not; the same file of another fold counts as added. */
export function addedFiles(before: readonly Message[], after: readonly Message[]): readonly FileText[] {
  const keyOf = ({ foldId, file }: BlockFold) => `${foldId} ${file}`;
  const known = new Set(before.flatMap(({ folds = [] }) => folds.map(keyOf)));
  const files = new Map<string, FileText>();
  for (const { folds = [], content } of after) {
    for (const fold of folds) {
      const { file, blockIndex } = fold;
      if (file === undefined || known.has(keyOf(fold))) continue;
      const block = contentBlocks(content)[blockIndex];
      const text = block === undefined ? undefined : wholeText(block);
      if (text !== undefined) files.set(file, { name: file, text });
    }
  }
  return [...files.values()];
}

/** What a tool returned, where all of it is text; undefined otherwise, as a text file cannot hold the rest. */
function wholeText(block: Block): string | undefined {
  if (!isToolResult(block)) return undefined;
  const { content = "" } = block;
  const isText = typeof content === "string" || content.every((item) => isKnownBlock(item) && item.type === "text");
  return isText ? resultText(block) : undefined;
}

/** Cached, as each round of a fold needs the name again, and the text that it is made from may have megabytes. */
const names = new WeakMap<Block, string>();

/** Long enough to tell calls apart by reading; what makes the name unique is the hash. */
const MAX_ID_CHARACTERS = 40;

/** The name of the file for a block's text: always the same for the same call and text. */
function offloadName(block: Block): string | undefined {
  const known = names.get(block);
  if (known !== undefined) return known;
  const text = wholeText(block);
  if (text === undefined || !isToolResult(block)) return undefined;
  const id = block.tool_use_id;
  // Ids come from others: a path in one must not lead out of the folder.
  const readable = id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_ID_CHARACTERS);
  const name = `${readable}-${hash(`${id}\n${text}`)}.txt`;
  names.set(block, name);
  return name;
}

/** Two FNV-1a of 32 bits with different seeds: one alone is too short to tell all outputs of a long session apart. */
function hash(text: string): string {
  let [one, other] = [0x811c9dc5, 0x01234567];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x01000193) ^ (other >>> 15);
  }
  return [one, other].map((half) => (half >>> 0).toString(36).padStart(7, "0")).join("");
}
