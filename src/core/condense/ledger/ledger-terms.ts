import { assertObject } from "../../assert.ts";
import { checkMessages } from "../../message/check-messages.ts";
import type { Message } from "../../message/message.ts";
import { editTerms } from "./edit-terms.ts";
import { collectUsages, identifierTerms } from "./identifier-weights.ts";
import type { BlockTerm, IdentifierTerm, LineTerm, TermWeights } from "./ledger-weights.ts";
import { logBlocks, readableMessages } from "./log-blocks.ts";
import { sourceBlocks } from "./source-lines.ts";
import { spokenOf } from "./spoken-of.ts";

/** The inputs of the ledger's two models for a log: the values of their terms. */
export interface LedgerTerms {
  readonly identifiers: readonly { readonly identifier: string; readonly terms: TermWeights<IdentifierTerm> }[];
  /** Lines of files, trimmed. */
  readonly lines: readonly { readonly line: string; readonly terms: TermWeights<BlockTerm | LineTerm> }[];
}

export interface LedgerTermsOptions {
  /** The messages that the view shows beside the ledger: lines that can be read there are left out. @default none */
  readonly visible?: readonly Message[];
}

/**
 * The values of all terms that a ledger of this log would weigh, for fitting weights for `compact`.
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
