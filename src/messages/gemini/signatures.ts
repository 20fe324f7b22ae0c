import type { GeminiContent } from "./gemini-prompt.ts";

/** What Gemini's documentation names for calls that come from another model or from a program: they are not checked then. */
export const UNCHECKED_SIGNATURE = "skip_thought_signature_validator";

/** From version 3 on, the first call of each step of the current turn needs a signature; older models ignore it. */
export function signCalls(contents: readonly GeminiContent[]): GeminiContent[] {
  const question = contents.findLastIndex(
    ({ role, parts }) => role === "user" && parts.every((part) => part.functionResponse === undefined),
  );
  return contents.map((content, index) => (index > question ? signFirstCall(content) : content));
}

function signFirstCall(content: GeminiContent): GeminiContent {
  const first = content.parts.findIndex((part) => part.functionCall !== undefined);
  const parts = content.parts.map((part, index) =>
    index === first && part.thoughtSignature === undefined ? { ...part, thoughtSignature: UNCHECKED_SIGNATURE } : part,
  );
  return { ...content, parts };
}
