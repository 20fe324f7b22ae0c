import { isKnownBlock, type Message } from "../message/message.ts";
import { contentBlocks } from "../message/tool-pairs.ts";
import { findStanding } from "../standing/find-standing.ts";
import type { StandingKind } from "../standing/standing-part.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";

/** The tokens of standing context. */
export interface StandingCost {
  /** The tokens of the whole log. */
  readonly logTokens: number;
  /** The tokens of the standing context at its end. */
  readonly tokens: number;
  /** The standing context by kind; a block of several kinds is counted for the first. */
  readonly byKind: Readonly<Partial<Record<StandingKind, number>>>;
}

/**
 * Counts the tokens of the standing context at the end of a log, which stays visible through every fold.
 *
 * @example
 * ```ts
 * import { measureStanding } from "palimpsest/evals";
 * const { tokens, logTokens } = measureStanding([{ role: "user", content: "Make the harbour light blink once." }]);
 * console.log(tokens, logTokens); // 7 7
 * ```
 */
export function measureStanding(messages: readonly Message[]): StandingCost {
  const byKind: Partial<Record<StandingKind, number>> = {};
  for (const [logIndex, parts] of findStanding(messages)) {
    const counted = new Set<number>();
    for (const { kind, blockIndex, span } of parts) {
      if (counted.has(blockIndex)) continue;
      if (span === undefined) counted.add(blockIndex);
      byKind[kind] = (byKind[kind] ?? 0) + partTokens(messages[logIndex], blockIndex, span);
    }
  }
  const tokens = Object.values(byKind).reduce((sum, each) => sum + each, 0);
  return { logTokens: countMessagesTokens(messages), tokens, byKind };
}

function partTokens(
  message: Message | undefined,
  blockIndex: number,
  span: { readonly start: number; readonly end: number } | undefined,
): number {
  if (message === undefined) return 0;
  const block = contentBlocks(message.content)[blockIndex];
  if (block === undefined) return countContentTokens(String(message.content).slice(span?.start, span?.end));
  if (span === undefined) return countContentTokens([block]);
  const text = isKnownBlock(block) && block.type === "tool_result" ? block.content : "text" in block ? block.text : "";
  return countContentTokens(String(text).slice(span.start, span.end));
}
