import type { Block, Message } from "../../core/message/message.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { withTimeLimit } from "../time-limit.ts";

const COUNT_TIMEOUT_MS = 10_000;

/** Counts tokens by a handler's own `countTokens`, and by our count where the handler has none or it fails. */
export interface HandlerGauge {
  measurePrompt(systemPrompt: string, view: readonly Message[]): Promise<number>;
  measureMessage(message: Message): Promise<number>;
}

export function createHandlerGauge(handler: ModelHandler): HandlerGauge {
  let isUsable = true;

  /** The handler's count; undefined where it has none, or it is invalid. A handler that threw is not asked again. */
  async function ownCount(content: readonly Block[]): Promise<number | undefined> {
    if (!isUsable || content.length === 0) return undefined;
    try {
      const { countTokens } = handler;
      if (typeof countTokens !== "function") return undefined;
      const count: unknown = await withTimeLimit(countTokens.call(handler, content), COUNT_TIMEOUT_MS);
      return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : undefined;
    } catch {
      isUsable = false;
      return undefined;
    }
  }

  return {
    measurePrompt: async (systemPrompt, view) => {
      const system: readonly Block[] = systemPrompt === "" ? [] : [{ type: "text", text: systemPrompt }];
      // In one call: a handler may ask its provider for each count.
      const own = await ownCount([...system, ...view.flatMap(blocksOf)]);
      return own ?? countTextTokens(systemPrompt) + countMessagesTokens(view);
    },
    measureMessage: async (message) => (await ownCount(blocksOf(message))) ?? countContentTokens(message.content),
  };
}

function blocksOf({ content }: Message): readonly Block[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}
