import type { GeminiContent } from "./gemini-prompt.ts";

/** The signature that Gemini documents for calls that another model or a program made: the API does not check it. */
export const UNCHECKED_SIGNATURE = "skip_thought_signature_validator";

/** Signs the calls that need it: from version 3 on, the first call of each step of the current turn. Older models ignore signatures. */
export function signCalls(contents: readonly GeminiContent[]): GeminiContent[] {
  const turnStart = contents.findLastIndex(
    ({ role, parts }) => role === "user" && parts.every((part) => part.functionResponse === undefined),
  );
  return contents.map((content, index) => (index > turnStart ? signFirstCall(content) : content));
}

function signFirstCall(content: GeminiContent): GeminiContent {
  const first = content.parts.findIndex((part) => part.functionCall !== undefined);
  const parts = content.parts.map((part, index) =>
    index === first && part.thoughtSignature === undefined ? { ...part, thoughtSignature: UNCHECKED_SIGNATURE } : part,
  );
  return { ...content, parts };
}
