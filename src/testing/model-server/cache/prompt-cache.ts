import type { ModelRequest, ModelWire, PromptCacheUse } from "../model-server.ts";
import type { PromptBlock } from "../prompt.ts";
import { CACHE_RULES } from "./cache-rules.ts";
import { firstUserMessage, promptChain } from "./prompt-chain.ts";

/** Simulates the providers' caches. Entries never expire, because tests are shorter than the lifetime of any cache. */
export interface PromptCache {
  /** What a request reads from the cache; `keep` of the result then adds its prompt. */
  look(wire: ModelWire, modelId: string, blocks: readonly PromptBlock[]): CacheVisit;
}

export interface CacheVisit {
  readonly use: PromptCacheUse;
  /** Adds the request's prompt to the cache; not called where the provider never read it. */
  keep(): void;
}

/** The newest request of a conversation. */
interface Turn {
  readonly cachedTokens: number;
  readonly hashes: ReadonlySet<string>;
}

export function promptCache(): PromptCache {
  const kept = new Set<string>();
  const turns = new Map<string, Turn>();
  return {
    look(wire, modelId, blocks) {
      const rules = CACHE_RULES[wire];
      const chain = promptChain(blocks);
      const owner = `${wire} ${modelId} `;
      const readTokens = rules.readTokens(chain, (hash) => kept.has(owner + hash));
      const cachedTokens = rules.cachedTokens(chain);
      const writeTokens = rules.reportsWrites ? Math.max(0, cachedTokens - readTokens) : 0;
      const conversation = owner + conversationOf(blocks);
      const isBreak = isBroken(turns.get(conversation), readTokens, chain.at(-1)?.hash ?? "");
      return {
        use: { readTokens, writeTokens, isBreak },
        keep() {
          for (const { hash } of rules.keptOf(chain)) kept.add(owner + hash);
          turns.set(conversation, { cachedTokens, hashes: new Set(chain.map(({ hash }) => hash)) });
        },
      };
    },
  };
}

// Requests for titles and summaries have the same first message but no tools: they do not continue the conversation.
function conversationOf(blocks: readonly PromptBlock[]): string {
  const hasTools = blocks.some(({ role }) => role === "tools");
  return `${hasTools} ${firstUserMessage(blocks) ?? ""}`;
}

/** Whether a cached prefix was lost. A request that is a prefix of the earlier one does not count: it changed nothing. */
function isBroken(earlier: Turn | undefined, readTokens: number, whole: string): boolean {
  return earlier !== undefined && readTokens < earlier.cachedTokens && !earlier.hashes.has(whole);
}

/**
 * The share of all prompt tokens that were read from the cache, from 0 to 1, without requests that did not reach the simulated cache.
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
