import type { Answer } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import type { WireRequest } from "../wire-protocol.ts";

/** From version 3 on, calls have ids, and signatures that must be sent back. */
const SIGNING_MODELS = /^gemini-(?:[3-9]|\d\d)/;

export function hasSignedCalls(modelId: string): boolean {
  return SIGNING_MODELS.test(modelId);
}

export function renderReply(answer: Answer, request: WireRequest): JsonObject {
  const { text, reasoning } = answer;
  const parts = [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...(text === "" ? [] : [{ text }]),
    ...renderCalls(answer, request),
  ];
  return renderResponse(answer, request, { parts, isLast: true });
}

export function renderResponse(
  answer: Answer,
  { modelId }: WireRequest,
  { parts, isLast }: { readonly parts: readonly JsonObject[]; readonly isLast: boolean },
): JsonObject {
  const finishReason = answer.isMalformed ? "MALFORMED_FUNCTION_CALL" : "STOP";
  const candidate = { content: { parts, role: "model" }, ...(isLast ? { finishReason } : {}), index: 0 };
  return {
    candidates: [candidate],
    usageMetadata: renderUsage(answer),
    modelVersion: modelId,
    responseId: `response-${answer.serial}`,
  };
}

/** The calls of a reply. Only the first one has a signature, as the provider's parallel calls do. */
export function renderCalls({ calls, isMalformed }: Answer, { modelId }: WireRequest): readonly JsonObject[] {
  if (isMalformed) return [];
  const isSigned = hasSignedCalls(modelId);
  return calls.map(({ id, name, input }, index) => ({
    functionCall: { ...(isSigned ? { id } : {}), name, args: input },
    ...(isSigned && index === 0 ? { thoughtSignature: signCall(name) } : {}),
  }));
}

const OWN_SIGNATURE = "palimpsest signature of ";

function signCall(name: string): string {
  return Buffer.from(OWN_SIGNATURE + name).toString("base64");
}

/** Whether a signature of this server is on another call now; signatures of other servers cannot be checked. */
export function isForgedCall(name: string, signature: string): boolean {
  const isOwn = Buffer.from(signature, "base64").toString("utf8").startsWith(OWN_SIGNATURE);
  return isOwn && signature !== signCall(name);
}

/** Gemini counts thoughts beside the candidates, and cached tokens as part of the prompt. */
function renderUsage({ usage }: Answer): JsonObject {
  const promptTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: usage.outputTokens - usage.reasoningTokens,
    totalTokenCount: promptTokens + usage.outputTokens,
    ...(usage.cacheReadTokens > 0 ? { cachedContentTokenCount: usage.cacheReadTokens } : {}),
    ...(usage.reasoningTokens > 0 ? { thoughtsTokenCount: usage.reasoningTokens } : {}),
  };
}
