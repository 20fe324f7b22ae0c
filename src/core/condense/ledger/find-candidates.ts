import type { Message } from "../../message/message.ts";
import { type JudgedLog, namedIn } from "./judge-log.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";
import { headingCounter, type Section } from "./sections.ts";
import { type SourceLine, sourceBlocks } from "./source-lines.ts";

/** The lines of a log that could be quoted, and what choosing between them needs. */
export interface LogCandidates {
  readonly blocks: readonly LogBlock[];
  /** In the order of the log; their groups are indexes of blocks. */
  readonly candidates: readonly Candidate[];
  /** Lines that are never quoted, not even to fill a gap between quoted ones. */
  readonly barred: ReadonlySet<SourceLine>;
  /** Those of the barred lines that only repeat the shape of others. */
  readonly repeated: ReadonlySet<SourceLine>;
  /** The worth of each identifier. */
  readonly weights: ReadonlyMap<string, number>;
  /** Identifiers that the rest of the view shows. */
  readonly seen: ReadonlySet<string>;
  /** The section of each block, which has one heading; empty in a conversation without tools. */
  readonly sections: readonly Section[];
  readonly headingTokens: (group: number, isFirst: boolean) => number;
  /** The average tokens of a heading per line. */
  readonly headingShareTokens: number;
}

/** Half of the headings are above a single line: a line that needs a heading of its own should be worth that. */
const HEADING_SHARE_TOKENS = 6;

/** Finds the lines of a judged log that the view does not show. */
export function findCandidates(judged: JudgedLog, visible: readonly Message[]): LogCandidates {
  const { blocks, weights, sections, barred, repeated } = judged;
  const shown = visible.flatMap((message) => sourceBlocks(message));
  const keys = new Set<string>();
  for (const { lines } of shown) for (const { key } of lines) keys.add(key);
  const candidates = judged.candidates.filter(({ line }) => !keys.has(line.key));
  return {
    blocks,
    candidates,
    barred,
    repeated,
    weights,
    seen: namedIn(shown),
    sections,
    headingTokens: headingCounter(blocks, sections),
    headingShareTokens: HEADING_SHARE_TOKENS,
  };
}
