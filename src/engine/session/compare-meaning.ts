import type { Embedder } from "../../core/ports/embedder.ts";
import type { Similarities } from "../../core/recall/ranking/blend-similarities.ts";
import type { RecallIndex } from "../../core/recall/recall-index.ts";
import { attemptWithin } from "../extensions/attempt.ts";
import type { OnFault } from "../extensions/fault.ts";

/** Compares a query with its candidates by meaning. Resolves to undefined where that fails, and words alone decide. */
export type CompareMeaning = (index: RecallIndex, query: string) => Promise<Similarities | undefined>;

export interface CompareMeaningOptions {
  readonly embedder: Embedder;
  readonly onFault: OnFault;
  /** How long one search waits for vectors. @default 10_000 */
  readonly timeoutMs?: number;
}

/** The most passages that are compared: those that match best by words. */
const MAX_CANDIDATES = 200;
/** How many texts one call of the embedder gets. */
const BATCH_TEXTS = 64;
/** The most vectors in the cache; the oldest are dropped first. About 6 MB at 384 numbers each. */
const MAX_CACHED = 4_000;
const TIMEOUT_MS = 10_000;

/** Compares by the vectors of an embedder. An embedder that throws, hangs or returns something else than vectors is reported as a fault. */
export function createCompareMeaning(options: CompareMeaningOptions): CompareMeaning {
  const { embedder, onFault, timeoutMs = TIMEOUT_MS } = options;
  const cached = new Map<string, Float32Array>();

  async function embed(texts: readonly string[], kind: "query" | "passage", signal: AbortSignal) {
    const vectors = await embedder.embed(texts, { kind, signal });
    if (!Array.isArray(vectors) || vectors.length !== texts.length) {
      throw new Error(`it must return one vector for each of ${texts.length} texts`);
    }
    return vectors.map(unitVector);
  }

  async function vectorsOf(texts: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Float32Array>> {
    const missing = [...new Set(texts)].filter((text) => !cached.has(text));
    for (let start = 0; start < missing.length; start += BATCH_TEXTS) {
      const batch = missing.slice(start, start + BATCH_TEXTS);
      const embedded = await embed(batch, "passage", signal);
      for (const [at, text] of batch.entries()) cached.set(text, embedded[at] ?? NO_VECTOR);
    }
    const vectors = new Map(texts.map((text) => [text, cached.get(text) ?? NO_VECTOR]));
    for (const text of cached.keys()) {
      if (cached.size <= MAX_CACHED) break;
      cached.delete(text);
    }
    return vectors;
  }

  async function compare(index: RecallIndex, query: string, signal: AbortSignal): Promise<Similarities> {
    const candidates = index.candidates(query, { limit: MAX_CANDIDATES });
    if (candidates.length === 0) return new Map();
    const [asked = NO_VECTOR] = await embed([query], "query", signal);
    const texts = candidates.map(({ text }) => text);
    const vectors = await vectorsOf(texts, signal);
    return new Map(candidates.map(({ passage, text }) => [passage, cosine(asked, vectors.get(text) ?? NO_VECTOR)]));
  }

  return async (index, query) => {
    const controller = new AbortController();
    const call = { plugin: embedder.name, method: "embed", onFault };
    try {
      return await attemptWithin(timeoutMs, () => compare(index, query, controller.signal), call);
    } finally {
      controller.abort();
    }
  };
}

const NO_VECTOR = new Float32Array(0);

function unitVector(vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  const length = Math.hypot(...unit);
  if (!Number.isFinite(length) || length === 0) throw new Error("a vector is empty, zero, or not of finite numbers");
  return unit.map((value) => value / length);
}

function cosine(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) throw new Error(`vectors have ${one.length} and ${other.length} numbers`);
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
