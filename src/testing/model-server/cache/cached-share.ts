import type { ModelRequest } from "../model-server.ts";

/**
 * The share of all prompt tokens that was read from the cache, 0 to 1; requests that the simulated cache did not see are left out.
 * @example
 * ```ts
 * import { cachedShare, startModelServer } from "palimpsest/testing";
 * const server = await startModelServer({ promptCache: true });
 * console.log(cachedShare(server.requests)); // 0
 * await server.close();
 * ```
 */
export function cachedShare(requests: readonly ModelRequest[]): number {
  let read = 0;
  let prompt = 0;
  for (const { cache, promptTokens } of requests) {
    if (cache === undefined) continue;
    read += cache.readTokens;
    prompt += promptTokens;
  }
  return prompt === 0 ? 0 : read / prompt;
}
