import type { ModelWire } from "../model-server.ts";
import type { PromptPrefix } from "./prompt-chain.ts";

/** How one provider caches prompts. */
export interface CacheRules {
  /** The prefixes that a request leaves in the cache. */
  keptOf(chain: readonly PromptPrefix[]): readonly PromptPrefix[];
  /** The tokens that can be read again once the request is cached: all of its cached prefix. */
  cachedTokens(chain: readonly PromptPrefix[]): number;
  /** The tokens that a request reads of what is in the cache. */
  readTokens(chain: readonly PromptPrefix[], isKept: (hash: string) => boolean): number;
  /** Whether the provider counts what it writes to the cache. */
  readonly reportsWrites: boolean;
}

/** Nothing shorter is cached. */
const LEAST_TOKENS = 1_024;
const OPENAI_STEP_TOKENS = 128;
const ANTHROPIC_LOOK_BACK_BLOCKS = 20;

/** Every prefix is cached, by itself. A block that changed anywhere counts as changed from its start. */
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

/** Only marked prefixes are cached, and each mark finds an earlier one that is at most twenty blocks away. */
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
