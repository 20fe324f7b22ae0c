import { failed, followStream, SPEAKING } from "../../core/json/follow-stream.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { asNumber, asTokens, fieldAt, parseJson } from "../../core/transcript/read-json.ts";
import { createObjectStream } from "./object-stream.ts";

/** Follows a reply that is one object, a list of objects, or events that hold one object each. */
export function followReply(): ReplyFollower {
  // every piece of a stream reports what was used up to it: the last report counts
  let usage: ReportedUsage | undefined;
  return followStream({
    splitList: createObjectStream,
    readEvent({ data }) {
      usage = usageIn(data) ?? usage;
      const error = data.includes('"error"') ? (fieldAt(parseJson(data), "error") ?? undefined) : undefined;
      return error === undefined ? SPEAKING : failed(error);
    },
    readUsage(unread) {
      return usageIn(unread.type === "document" ? unread.text : (unread.event?.data ?? "")) ?? usage;
    },
  });
}

/** The cached tokens are part of the prompt's; thoughts are not part of the candidates'. */
function usageIn(text: string): ReportedUsage | undefined {
  const metadata = text.includes('"usageMetadata"') ? fieldAt(parseJson(text), "usageMetadata") : undefined;
  const promptTokens = asNumber(fieldAt(metadata, "promptTokenCount"));
  if (promptTokens === undefined) return undefined;
  const cacheReadTokens = Math.min(promptTokens, asTokens(fieldAt(metadata, "cachedContentTokenCount")));
  const outputTokens = asTokens(fieldAt(metadata, "candidatesTokenCount"));
  const reasoningTokens = asTokens(fieldAt(metadata, "thoughtsTokenCount"));
  return {
    inputTokens: promptTokens - cacheReadTokens,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(outputTokens > 0 ? { outputTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  };
}
