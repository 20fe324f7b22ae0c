/**
 * Turns texts into vectors that lie near each other where the texts mean the same. Any model will do: a provider's, or one on this machine.
 * What it is given are passages of the log of about a hundred tokens, and queries.
 */
export interface Embedder {
  /** Names it where something goes wrong. */
  readonly name: string;
  /** One vector for each text, in their order, all of the same length. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly ArrayLike<number>[]>;
}

export interface EmbedOptions {
  /** `query` for what is looked for, `passage` for what it is looked for in: some models want to be told. */
  readonly kind: "query" | "passage";
  /** Aborted when nobody waits for the vectors any more. */
  readonly signal: AbortSignal;
}
