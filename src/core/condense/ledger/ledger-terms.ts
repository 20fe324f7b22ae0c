import { assertObject } from "../../assert.ts";
import { checkMessages } from "../../message/check-messages.ts";
import type { Message } from "../../message/message.ts";
import { editTerms } from "./edit-terms.ts";
import { collectUsages, identifierTerms } from "./identifier-weights.ts";
import type { BlockTerm, IdentifierTerm, LineTerm, TermWeights } from "./ledger-weights.ts";
import { logBlocks, readableMessages } from "./log-blocks.ts";
import { sourceBlocks } from "./source-lines.ts";
import { spokenOf } from "./spoken-of.ts";

/** What the ledger weighs of a log: the values that the terms of its two models have. */
export interface LedgerTerms {
  readonly identifiers: readonly { readonly identifier: string; readonly terms: TermWeights<IdentifierTerm> }[];
  /** Lines of files, without the white space around them. */
  readonly lines: readonly { readonly line: string; readonly terms: TermWeights<BlockTerm | LineTerm> }[];
}

export interface LedgerTermsOptions {
  /** What the view shows beside the ledger: lines that can be read there are left out. @default none */
  readonly visible?: readonly Message[];
}

/**
 * What a ledger of this log would weigh, term by term: what weights for `compact` are fitted to.
 * @example
 * ```ts
 * import { ledgerTerms } from "palimpsest/core";
 * const { identifiers, lines } = ledgerTerms([{ role: "user", content: "Why does src/tide.ts fail?" }]);
 * console.log(identifiers[0]?.identifier, identifiers[0]?.terms.isNamedByUser, lines.length); // src/tide.ts 1 0
 * ```
 */
export function ledgerTerms(messages: readonly Message[], options: LedgerTermsOptions = {}): LedgerTerms {
  checkMessages(messages);
  assertObject("options", options);
  const { visible = [] } = options;
  checkMessages(visible);
  const readable = readableMessages(messages);
  const blocks = logBlocks(messages, readable);
  const spoken = spokenOf(blocks);
  const shown = new Set(
    visible.flatMap((message) => sourceBlocks(message).flatMap(({ lines }) => lines.map(({ code }) => code))),
  );
  return {
    identifiers: Array.from(collectUsages([...readable]), ([identifier, usage]) => ({
      identifier,
      terms: identifierTerms(identifier, usage, spoken),
    })),
    lines: editTerms(blocks, spoken).flatMap(({ line: { code }, block, own }) =>
      shown.has(code) ? [] : [{ line: code, terms: { ...block, ...own } }],
    ),
  };
}
