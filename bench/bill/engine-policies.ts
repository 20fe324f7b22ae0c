import { createEngine, type EngineOptions } from "palimpsest";
import type { Policy } from "./policy.ts";

/** What `session.prepare()` returns, with the recorded clock and the provider's reports of what was sent. */
export function enginePolicy(name: string, options: Pick<EngineOptions, "configuration">, leftTokens: number): Policy {
  return {
    name,
    leftTokens,
    start: async ({ session: recorded, contextWindow, entry, fixedTokens }) => {
      let nowMs = 0;
      const engine = createEngine({ ...options, model: entry, contextWindow, now: () => nowMs, log: () => {} });
      // the files do not hold system prompt and tools: a text of as many tokens stands for them
      const systemPrompt = "word ".repeat(fixedTokens / recorded.tokenRatio);
      const session = await engine.session("bill", { systemPrompt });
      return {
        view: async ({ atMs, newMessages }) => {
          nowMs = atMs;
          await session.append(...newMessages);
          const { messages } = await session.prepare();
          return { messages };
        },
        observe: (usage) => session.observe(usage),
        refused: async (promptTokens) => {
          session.observeError(
            new Error(`prompt is too long: ${Math.ceil(promptTokens)} tokens > ${contextWindow} maximum`),
          );
          const { messages } = await session.prepare();
          return { messages };
        },
      };
    },
  };
}
