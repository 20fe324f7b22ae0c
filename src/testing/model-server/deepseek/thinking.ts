import type { Answer } from "../answer.ts";
import { isJsonObject, objectsOf } from "../json.ts";
import type { WireRequest } from "../wire-protocol.ts";

/** Models that think unless they are told not to. */
const THINKING_MODELS = /^deepseek-(?:reasoner|v4)/;

/**
 * Whether this request is in thinking mode: what `thinking` says, else by the model, else because the history carries
 * reasoning already.
 */
export function isThinking({ body, modelId }: WireRequest): boolean {
  const said = isJsonObject(body.thinking) ? body.thinking.type : undefined;
  if (said === "enabled" || said === "disabled") return said === "enabled";
  return (
    THINKING_MODELS.test(modelId) ||
    objectsOf(body.messages).some(
      ({ reasoning_content: reasoning }) => typeof reasoning === "string" && reasoning !== "",
    )
  );
}

/** In thinking mode a call is never without reasoning: a client could not send it back. */
export function withReasoning(answer: Answer, request: WireRequest): Answer {
  if (answer.reasoning !== undefined || answer.calls.length === 0 || !isThinking(request)) return answer;
  return { ...answer, reasoning: "A tool is needed." };
}
