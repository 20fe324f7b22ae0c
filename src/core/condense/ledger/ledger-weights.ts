/**
 * What the ledger believes about the future, as two models with few terms each: a logistic one of identifiers, and one that compares
 * lines of code. `weights.ts` holds the weights that are used, and says how they were fitted.
 */
export interface LedgerWeights {
  readonly identifiers: TermWeights<IdentifierTerm>;
  readonly edits: TermWeights<BlockTerm | LineTerm>;
}

export type TermWeights<Term extends string> = Readonly<Record<Term, number>>;

/** Will the agent use this identifier again, without being shown it again? Counts and distances are logarithms. */
export type IdentifierTerm =
  | "always"
  /** Replies since anyone named it, since the agent did, and since it was first named. */
  | "sinceNamed"
  | "sinceAgent"
  | "sinceFirst"
  /** Messages that name it: all, and the agent's. */
  | "messages"
  | "agentMessages"
  /** Lines of the shortest text that names it: what is named among little matters. */
  | "fewestLines"
  | "isNamedByUser"
  | "isFlag"
  | "isUrl"
  /** In what the person asked, first and last. */
  | "isAsked"
  /** In what the agent said last, in the plan or in the newest request. */
  | "isSpoken"
  /** The share of its words that stand in those texts. */
  | "spokenWords"
  /** In what the agent wrote into a file. */
  | "isWritten";

/**
 * Which lines of files will the next edits replace, word for word? These terms are the same for all lines that were shown at once.
 * They weigh lines against each other, so nothing is always there.
 */
export type BlockTerm =
  /** Replies since it was shown. */
  | "age"
  /** Lines shown at once: who looks at little knows what to look for. */
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

/** These are of single lines. */
export type LineTerm =
  /** Near lines that were edited before. */
  | "nearEdits"
  /** Where names gather that are spoken of. */
  | "nearNames"
  /** Where names gather that are made of words that are spoken of. */
  | "nearWords"
  /** Among the first and the last lines that were shown at once. */
  | "isHead"
  | "isTail";

/** The logarithm of the odds. */
export function weigh<Term extends string>(weights: TermWeights<Term>, terms: TermWeights<Term>): number {
  let sum = 0;
  for (const term in terms) sum += weights[term] * terms[term];
  return sum;
}

/** The chance that a logistic model gives to a thing with these terms. */
export function likelihood<Term extends string>(weights: TermWeights<Term>, terms: TermWeights<Term>): number {
  return 1 / (1 + Math.exp(-weigh(weights, terms)));
}
