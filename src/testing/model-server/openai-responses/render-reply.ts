import { countTextTokens } from "../../../core/tokens/o200k/count-text-tokens.ts";
import type { Answer } from "../answer.ts";
import type { CacheDiagnosis, ChangedPart } from "../cache/cache-diagnosis.ts";
import type { JsonObject } from "../json.ts";
import type { WireRequest } from "../wire-protocol.ts";
import { renderCompaction } from "./items.ts";
import { responseId } from "./output-ids.ts";
import { renderItems } from "./render-items.ts";

// a constant: the same script gives the same bytes in every run
const CREATED_SECONDS = 1_700_000_000;

export function renderReply(answer: Answer, request: WireRequest): JsonObject {
  return {
    ...renderResponse(answer.serial, request),
    status: "completed",
    output: renderItems(answer, request),
    usage: renderUsage(answer),
    ...(answer.diagnosis && { prompt_cache_diagnostics: renderDiagnosis(answer.diagnosis) }),
  };
}

/** The provider's names for changed parts. */
const REASONS: Readonly<Record<ChangedPart, string>> = {
  model: "model_changed",
  tools: "tools_changed",
  system: "input_changed",
  messages: "input_changed",
};

function renderDiagnosis(diagnosis: CacheDiagnosis): JsonObject {
  switch (diagnosis.type) {
    case "same":
      return { type: "cache_hit" };
    case "not-found":
      return { type: "comparison_response_not_found" };
    case "changed":
      return { type: "cache_miss", reason: REASONS[diagnosis.part], cache_missed_tokens: diagnosis.missedTokens };
  }
}

/** The compacted window, which replaces the conversation in later requests. */
export function renderCompacted(serial: number, request: WireRequest): JsonObject {
  const { retained = [], summary = "" } = request.managed.compaction ?? {};
  const outputTokens = countTextTokens(summary);
  return {
    id: responseId(serial),
    object: "response.compaction",
    created_at: CREATED_SECONDS,
    output: [...retained, renderCompaction(serial, summary)],
    usage: {
      input_tokens: request.windowTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: request.windowTokens + outputTokens,
    },
  };
}

/** The response without output, as at the start of a stream. It repeats the request's settings, as the provider does. */
export function renderResponse(serial: number, { modelId, body }: WireRequest): JsonObject {
  return {
    id: responseId(serial),
    object: "response",
    created_at: CREATED_SECONDS,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model: modelId,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    service_tier: "default",
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? "disabled",
    usage: null,
    user: null,
  };
}

/** The input's total includes the cached tokens, whose number is in the details. */
function renderUsage({ usage }: Answer): JsonObject {
  const inputTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: inputTokens + usage.outputTokens,
  };
}
