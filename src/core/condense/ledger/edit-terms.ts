import { codeLines, isDistinctive, showsDiff, showsFile, writesFile } from "./code-lines.ts";
import { type FileState, fileName, fileOf, fileStates } from "./file-states.ts";
import { gatherNear } from "./gather-near.ts";
import type { BlockTerm, LineTerm, TermWeights } from "./ledger-weights.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";
import { type SpokenOf, spokenShare } from "./spoken-of.ts";

/** A line of code with the terms by which the model estimates how likely the next edits are to replace it. */
export interface EditTerms {
  readonly line: SourceLine;
  /** Terms of its block; the same object for all lines of the block. */
  readonly block: TermWeights<BlockTerm>;
  readonly own: TermWeights<LineTerm>;
}

/** The values of the terms of each line of code. */
export function editTerms(blocks: readonly LogBlock[], { named, words }: SpokenOf): readonly EditTerms[] {
  const work = {
    named,
    isAlike: likeSpoken(words),
    openFiles: new Set(Array.from(named, fileName)),
    files: fileStates(blocks),
    editedCode: editedCode(blocks),
  };
  const surroundings = new Map<LogBlock, Surroundings>();
  return codeLines(blocks).map(({ line, block, index }) => {
    const around = surroundings.get(block) ?? surroundingsIn(block, work);
    surroundings.set(block, around);
    return {
      line,
      block: around.terms,
      own: {
        nearEdits: Math.log1p(around.edits[index] ?? 0),
        nearNames: Math.log1p(around.names[index] ?? 0),
        nearWords: Math.log1p(around.words[index] ?? 0),
        isHead: index < END_LINES ? 1 : 0,
        isTail: index >= block.lines.length - END_LINES ? 1 : 0,
      },
    };
  });
}

/** Lines that count as the head or tail of a block. */
const END_LINES = 15;

/** The work at hand, by which lines are judged. */
interface Work {
  readonly named: ReadonlySet<string>;
  /** Whether at least half of the words of a name are spoken of. */
  readonly isAlike: (identifier: string) => boolean;
  /** Names of files that are spoken of. */
  readonly openFiles: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, FileState>;
  /** Lines that edits removed or added. */
  readonly editedCode: ReadonlySet<string>;
}

/** How a block relates to the work: as a whole, and around each of its lines. */
interface Surroundings {
  readonly terms: TermWeights<BlockTerm>;
  readonly edits: Float64Array;
  readonly names: Float64Array;
  readonly words: Float64Array;
}

function surroundingsIn(block: LogBlock, work: Work): Surroundings {
  const { lines, age } = block;
  const name = fileOf(block);
  const state = name === undefined ? undefined : work.files.get(name);
  const isWritten = writesFile(block);
  return {
    terms: {
      age: Math.log1p(age),
      lines: Math.log(lines.length),
      isOpen: showsDiff(block) || (name !== undefined && work.openFiles.has(name)) ? 1 : 0,
      isOutput: isWritten || showsFile(block) ? 0 : 1,
      isWrite: isWritten && block.act?.kind === "write" ? 1 : 0,
      laterFiles: Math.log1p(state?.laterFiles ?? 0),
      fileReads: Math.log1p(state?.reads ?? 0),
    },
    edits: gatherNear(lines.map(({ code }) => work.editedCode.has(code))),
    names: gatherNear(lines.map(({ identifiers }) => identifiers.some((identifier) => work.named.has(identifier)))),
    words: gatherNear(lines.map(({ identifiers }) => identifiers.some(work.isAlike))),
  };
}

const ALIKE_SHARE = 0.5;

/** Caches the answer per name, as a log has the same names on many lines. */
function likeSpoken(words: ReadonlySet<string>): Work["isAlike"] {
  const answers = new Map<string, boolean>();
  return (identifier) => {
    const isAlike = answers.get(identifier) ?? spokenShare(identifier, words) >= ALIKE_SHARE;
    answers.set(identifier, isAlike);
    return isAlike;
  };
}

function editedCode(blocks: readonly LogBlock[]): ReadonlySet<string> {
  const edited = new Set<string>();
  for (const { source, act } of blocks) {
    if (source !== "call" || act?.kind !== "edit") continue;
    for (const code of act.removed) if (isDistinctive(code)) edited.add(code);
    for (const code of act.written) if (isDistinctive(code)) edited.add(code);
  }
  return edited;
}
