import type { MeteredPrices } from "./model-entry.ts";

/** Prices in USD per million tokens, where filling the cache costs what input costs. */
export function usd(input: number, output: number, cacheRead: number): MeteredPrices {
  return { type: "metered", input, output, cacheRead };
}
