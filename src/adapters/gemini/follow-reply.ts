import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { asNumber, asTokens, fieldAt, parseJson } from "../../core/transcript/read-json.ts";
import { createReplyTexts } from "./reply-texts.ts";

/** Every piece of a stream reports what was used up to it: the last report counts. */
export function followReply(): ReplyFollower {
  const texts = createReplyTexts();
  let usage: ReportedUsage | undefined;
  return {
    push(text) {
      const last = texts.push(text).findLast((each) => each.includes('"usageMetadata"'));
      if (last !== undefined) usage = readUsage(fieldAt(parseJson(last), "usageMetadata")) ?? usage;
    },
    usage: () => usage,
  };
}

/** The cached tokens are part of the prompt's; thoughts are not part of the candidates'. */
function readUsage(metadata: unknown): ReportedUsage | undefined {
  const promptTokens = asNumber(fieldAt(metadata, "promptTokenCount"));
  if (promptTokens === undefined) return undefined;
  const cacheReadTokens = Math.min(promptTokens, asTokens(fieldAt(metadata, "cachedContentTokenCount")));
  const outputTokens = asTokens(fieldAt(metadata, "candidatesTokenCount"));
  return {
    inputTokens: promptTokens - cacheReadTokens,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(outputTokens > 0 ? { outputTokens } : {}),
  };
}
