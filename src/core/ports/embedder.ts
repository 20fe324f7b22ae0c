/**
 * Turns texts into vectors that lie near each other where the texts mean the same. Any model will do: a provider's, or one on this machine.
 * The texts are queries, and passages of the log of about a hundred tokens.
 */
export interface Embedder {
  /** Used in error messages. */
  readonly name: string;
  /** One vector for each text, in their order, all of the same length. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly ArrayLike<number>[]>;
}

export interface EmbedOptions {
  /** Whether the texts are queries or the passages that are searched: some models embed the two differently. */
  readonly kind: "query" | "passage";
  /** Aborted when the vectors are not needed any more. */
  readonly signal: AbortSignal;
}
