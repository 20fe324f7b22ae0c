/**
 * The weights of the ledger's two models of what the agent will need: a logistic one for identifiers, and one that compares lines of
 * code. `weights.ts` holds the weights that are used, and says how they were fitted.
 */
export interface LedgerWeights {
  readonly identifiers: TermWeights<IdentifierTerm>;
  readonly edits: TermWeights<BlockTerm | LineTerm>;
}

export type TermWeights<Term extends string> = Readonly<Record<Term, number>>;

/** Terms for whether the agent will use an identifier again without being shown it again. Counts and distances are logarithms. */
export type IdentifierTerm =
  | "always"
  /** Replies since anyone named it, since the agent did, and since it was first named. */
  | "sinceNamed"
  | "sinceAgent"
  | "sinceFirst"
  /** Messages that name it: all, and the agent's. */
  | "messages"
  | "agentMessages"
  /** Lines of the shortest text that names it: a name in a short text matters more. */
  | "fewestLines"
  | "isNamedByUser"
  | "isFlag"
  | "isUrl"
  /** In the person's first or newest request. */
  | "isAsked"
  /** In the agent's last texts, in the plan or in the newest request. */
  | "isSpoken"
  /** The share of its words that occur in those texts. */
  | "spokenWords"
  /** In text that the agent wrote into a file. */
  | "isWritten";

/**
 * Terms for which lines of files the next edits will replace, word for word; these are the same for all lines of a block. As lines are only
 * compared with each other, there is no constant term.
 */
export type BlockTerm =
  /** Replies since it was shown. */
  | "age"
  /** Lines of the block: an agent that reads few lines knows what it looks for. */
  | "lines"
  /** Its file is spoken of, or it was shown as a change. */
  | "isOpen"
  /** Output of a command that shows no file, such as a search. */
  | "isOutput"
  /** The agent wrote the whole file. */
  | "isWrite"
  /** How many files were used after its file was used last, and how often that was read. */
  | "laterFiles"
  | "fileReads";

/** Terms of single lines. */
export type LineTerm =
  /** Near lines that were edited before. */
  | "nearEdits"
  /** Near lines with names that are spoken of. */
  | "nearNames"
  /** Near lines with names made of words that are spoken of. */
  | "nearWords"
  /** Among the first, or the last, lines of the block. */
  | "isHead"
  | "isTail";

/** The sum of the terms by their weights: the logarithm of the odds. */
export function weigh<Term extends string>(weights: TermWeights<Term>, terms: TermWeights<Term>): number {
  let sum = 0;
  for (const term in terms) sum += weights[term] * terms[term];
  return sum;
}

/** The probability that a logistic model gives for these terms. */
export function likelihood<Term extends string>(weights: TermWeights<Term>, terms: TermWeights<Term>): number {
  return 1 / (1 + Math.exp(-weigh(weights, terms)));
}
