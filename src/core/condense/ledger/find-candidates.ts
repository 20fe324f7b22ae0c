import type { Message } from "../../message/message.ts";
import { type JudgedLog, namedIn } from "./judge-log.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";
import { headingCounter, type Section } from "./sections.ts";
import { type SourceLine, sourceBlocks } from "./source-lines.ts";

/** All that could be quoted of a log. */
export interface LogCandidates {
  readonly blocks: readonly LogBlock[];
  /** In the order of the log; their groups are indexes of blocks. */
  readonly candidates: readonly Candidate[];
  /** Lines that are not quoted even between others that are. */
  readonly barred: ReadonlySet<SourceLine>;
  /** Of these, the lines that only repeat the shape of others. */
  readonly repeated: ReadonlySet<SourceLine>;
  readonly weights: ReadonlyMap<string, number>;
  /** Identifiers that the rest of the view shows. */
  readonly seen: ReadonlySet<string>;
  /** The section of each block: what stands below one heading; none in a conversation. */
  readonly sections: readonly Section[];
  readonly headingTokens: (group: number, isFirst: boolean) => number;
  /** What a heading costs each line on average. */
  readonly headingShareTokens: number;
}

/** Half of the headings stand above a single line: lines that need one of their own should be worth it. */
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
