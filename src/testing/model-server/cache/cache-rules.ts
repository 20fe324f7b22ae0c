import type { ModelWire } from "../model-server.ts";
import type { PromptPrefix } from "./prompt-chain.ts";

/** How one provider caches prompts. */
export interface CacheRules {
  /** The prefixes that a request leaves in the cache. */
  keptOf(chain: readonly PromptPrefix[]): readonly PromptPrefix[];
  /** The length of the longest prefix that can be read once the request is cached. */
  cachedTokens(chain: readonly PromptPrefix[]): number;
  /** The tokens that a request reads from the cache. */
  readTokens(chain: readonly PromptPrefix[], isKept: (hash: string) => boolean): number;
  /** Whether the provider counts what it writes to the cache. */
  readonly reportsWrites: boolean;
}

/** Shorter prefixes are not cached. */
const LEAST_TOKENS = 1_024;
const OPENAI_STEP_TOKENS = 128;
const ANTHROPIC_LOOK_BACK_BLOCKS = 20;

/** The rules of providers that cache every prefix automatically. A changed block counts as changed from its start. */
function prefixRules(stepTokens: number): CacheRules {
  const whole = (tokens: number) =>
    tokens < LEAST_TOKENS ? 0 : LEAST_TOKENS + Math.floor((tokens - LEAST_TOKENS) / stepTokens) * stepTokens;
  return {
    keptOf: (chain) => chain,
    cachedTokens: (chain) => whole(chain.at(-1)?.tokens ?? 0),
    readTokens(chain, isKept) {
      const firstNew = chain.findIndex(({ hash }) => !isKept(hash));
      return whole((firstNew === -1 ? chain.at(-1) : chain[firstNew - 1])?.tokens ?? 0);
    },
    reportsWrites: false,
  };
}

/** Anthropic's rules: only prefixes with a breakpoint are cached, and a breakpoint finds an earlier one at most twenty blocks before it. */
const anthropicRules: CacheRules = {
  keptOf: marksOf,
  cachedTokens: (chain) => marksOf(chain).at(-1)?.tokens ?? 0,
  readTokens(chain, isKept) {
    const last = chain.findLastIndex(({ hash }, index) => isKept(hash) && isSeenByMark(chain, index));
    return chain[last]?.tokens ?? 0;
  },
  reportsWrites: true,
};

function marksOf(chain: readonly PromptPrefix[]): readonly PromptPrefix[] {
  return chain.filter(({ isMarked, tokens }) => isMarked && tokens >= LEAST_TOKENS);
}

function isSeenByMark(chain: readonly PromptPrefix[], index: number): boolean {
  return chain.slice(index, index + ANTHROPIC_LOOK_BACK_BLOCKS).some(({ isMarked }) => isMarked);
}

export const CACHE_RULES: Readonly<Record<ModelWire, CacheRules>> = {
  anthropic: anthropicRules,
  openai: prefixRules(OPENAI_STEP_TOKENS),
  "openai-responses": prefixRules(OPENAI_STEP_TOKENS),
  deepseek: prefixRules(OPENAI_STEP_TOKENS),
  gemini: prefixRules(1),
};
