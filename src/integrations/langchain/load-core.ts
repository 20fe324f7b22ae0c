import { loadPackage } from "../shared/load-package.ts";

/** What the middleware needs of `@langchain/core`, which every agent of LangChain's has. */
export interface LangChainCore {
  readonly coerceMessageLikeToMessage: typeof import("@langchain/core/messages").coerceMessageLikeToMessage;
  readonly convertToOpenAITool: typeof import("@langchain/core/utils/function_calling").convertToOpenAITool;
}

let loaded: Promise<LangChainCore> | undefined;

/** Loads it with the first call of a model: whoever only imports this folder needs no package of LangChain's. */
export function loadLangChainCore(): Promise<LangChainCore> {
  loaded ??= loadPackage("@langchain/core", async () => {
    const [{ coerceMessageLikeToMessage }, { convertToOpenAITool }] = await Promise.all([
      import("@langchain/core/messages"),
      import("@langchain/core/utils/function_calling"),
    ]);
    return { coerceMessageLikeToMessage, convertToOpenAITool };
  });
  return loaded;
}
