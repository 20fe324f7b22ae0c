/** Which model compresses the conversations of which: a map from model ids or aliases to model ids, and a default for all others. */
export interface CompressionModels {
  readonly models?: Readonly<Record<string, string>>;
  /** @default the conversation's own model */
  readonly default?: string;
}

/** The model that compresses a conversation with `model`. */
export function compressionModel(
  model: string,
  { models = {}, default: fallback = model }: CompressionModels = {},
): string {
  return Object.hasOwn(models, model) ? (models[model] ?? fallback) : fallback;
}
