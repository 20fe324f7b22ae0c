export type {
  AiSdkFilePart,
  AiSdkJson,
  AiSdkMessage,
  AiSdkMessageLike,
  AiSdkPrompt,
  AiSdkProviderOptions,
  AiSdkReasoningPart,
  AiSdkReplyPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolOutput,
  AiSdkToolResultPart,
} from "./ai-sdk-prompt.ts";
export { fromAiSdk } from "./from-ai-sdk.ts";
export { toAiSdk } from "./to-ai-sdk.ts";
