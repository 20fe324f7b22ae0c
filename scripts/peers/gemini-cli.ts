/** Gemini CLI's names over `palimpsest/compat`, in the form in which its own tests call them. Each part stands for one of its modules. */
import {
  ChatCompressionService as CompatService,
  CompressionStatus as CompatStatus,
  type ModelHandler,
} from "../../src/compat/index.ts";
import { fromGemini, toGemini } from "../../src/messages/index.ts";
import * as counting from "./gemini-cli-counting.ts";
import { tokenLimit } from "./gemini-cli-limits.ts";

export { findCompressSplitPoint } from "../../src/compat/index.ts";

/** Its statuses; it has one for a reply without a summary, where ours is that of a model's failure. */
export const CompressionStatus = {
  ...CompatStatus,
  COMPRESSION_FAILED_EMPTY_SUMMARY: CompatStatus.COMPRESSION_FAILED_MODEL_ERROR,
};

interface Chat {
  getHistory(curated?: boolean): Parameters<typeof fromGemini>[0] | null;
  getLastPromptTokenCount(): number;
}

interface Config {
  getCompressionThreshold(): unknown;
  getBaseLlmClient(): {
    generateContent(request: object): Promise<{ candidates?: { content?: { parts?: { text?: string }[] } }[] }>;
  };
}

export class ChatCompressionService {
  async compress(
    chat: Chat,
    promptId: string,
    force: boolean,
    model: string,
    config: Config,
    hasFailedCompressionAttempt: boolean,
  ) {
    const threshold = await config.getCompressionThreshold();
    const service = new CompatService({
      handlerFor: () => handlerOf(model, config),
      // It always asks a second time what the snapshot left out.
      verify: true,
      countHistory: (history) => counting.calculateRequestTokenCount(toGemini(history).contents),
      ...(typeof threshold === "number" && { threshold }),
    });
    const limit = tokenLimit(model);
    const { newHistory, info } = await service.compress({
      messages: fromGemini(chat.getHistory(true) ?? []),
      model,
      force,
      hasFailedCompressionAttempt,
      taskId: promptId,
      originalTokenCount: chat.getLastPromptTokenCount(),
      ...(typeof limit === "number" && { contextWindow: limit }),
    });
    return { newHistory: newHistory === null ? null : toGemini(newHistory).contents, info };
  }
}

/** A handler that asks through its client. */
function handlerOf(model: string, config: Config): ModelHandler {
  return {
    getModel: () => ({ id: model }),
    async *createMessage(systemPrompt, messages) {
      const { contents } = toGemini(messages);
      const { candidates } = await config
        .getBaseLlmClient()
        .generateContent({ contents, systemInstruction: { text: systemPrompt } });
      const parts = candidates?.[0]?.content?.parts ?? [];
      yield { type: "text", text: parts.map(({ text = "" }) => text).join("") };
    },
  };
}
