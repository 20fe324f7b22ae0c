import type { Message } from "../../../core/message/message.ts";
import { priceOf } from "../../../core/models/price.ts";
import { scaleCategories } from "../../../core/statement/count-categories.ts";
import type { CriticalFactCount, RequestRecord, TokenCategory } from "../../../core/statement/request-record.ts";
import type { ReportedUsage } from "../../../core/tokens/forecast.ts";
import { factSurvival } from "../../../core/validators/fact-survival.ts";
import type { SessionModel } from "../session-model.ts";
import type { FoldedViews, PendingRequest } from "./request-keeper.ts";

/** What a request's view and its conversation measure, in our tokens. */
interface MeasuredView {
  readonly arrivedTokens: number;
  readonly saidTokens: number;
  readonly categories: ReadonlyMap<TokenCategory, number>;
}

const RATIO_DIGITS = 5;

/** The record of a request, but for its usage, its body, and what folds hid for it. */
export function recordOf(request: PendingRequest, measured: MeasuredView): RequestRecord {
  const { at, model, version, promptTokens, overheadTokens, allowedTokens, viewTokens, overhead, isView } = request;
  const shownTokens = Math.max(0, promptTokens - overheadTokens);
  const exact = isView && viewTokens > 0 && shownTokens > 0 ? shownTokens / viewTokens : model.tokenRatio;
  const tokenRatio = Number(exact.toFixed(RATIO_DIGITS));
  const overheadCount = overhead.systemTokens + overhead.toolTokens;
  const overheadRatio = overheadCount > 0 ? overheadTokens / overheadCount : 0;
  return {
    at,
    modelId: model.id,
    contextWindow: model.contextWindow,
    allowedTokens: Math.max(0, Math.floor(allowedTokens)),
    version,
    promptTokens,
    overheadTokens,
    arrivedTokens: Math.round(measured.arrivedTokens * tokenRatio),
    hiddenTokens: Math.max(0, Math.round(measured.saidTokens * tokenRatio - shownTokens)),
    tokenRatio,
    tokens: {
      ...scaleCategories(
        [
          ["system", overhead.systemTokens],
          ["tools", overhead.toolTokens],
        ],
        overheadRatio,
      ),
      ...scaleCategories(measured.categories, tokenRatio),
    },
    foldIds: request.foldIds,
    decision: request.decision,
    condenseUsd: request.condenseUsd,
  };
}

/** The reported usage and its cost; neither where a number of the report is unreadable. */
export function costOf(
  { entry }: SessionModel,
  reported: ReportedUsage | undefined,
): Pick<RequestRecord, "usage" | "costUsd"> {
  const usage = readableUsage(reported);
  if (usage === undefined) return {};
  const { outputTokens = 0, reasoningTokens = 0 } = usage;
  const costUsd = priceOf(entry, { ...usage, outputTokens: outputTokens + reasoningTokens });
  return { usage, ...(costUsd === undefined ? {} : { costUsd }) };
}

const USAGE_FIELDS = ["inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens"] as const;

/** The known numbers of a report; undefined where one of them is no number of tokens. */
function readableUsage(usage: ReportedUsage | undefined): ReportedUsage | undefined {
  if (usage === undefined) return undefined;
  const numbers: Partial<Record<(typeof USAGE_FIELDS)[number], number>> = {};
  for (const field of USAGE_FIELDS) {
    const tokens: unknown = usage[field] ?? 0;
    if (typeof tokens !== "number" || !(tokens >= 0 && tokens <= Number.MAX_SAFE_INTEGER)) return undefined;
    if (tokens > 0) numbers[field] = tokens;
  }
  return { inputTokens: 0, ...numbers };
}

/** Counts the critical facts in hidden messages, and those of them that are still visible. A message with a hidden block counts as hidden, and its rest as visible. */
export function countCriticalFacts({ before, after }: FoldedViews): CriticalFactCount {
  const shown = new Set(after);
  // By text as well: if hidden messages were read from the store meanwhile, the same messages are other objects. Their ids are the same, so that
  // no other message need be written as JSON.
  const ids = new Set(after.map(({ id }) => id));
  let texts: ReadonlySet<string> | undefined;
  const hasText = (message: Message) => {
    texts ??= new Set(after.map((each) => JSON.stringify(each)));
    return texts.has(JSON.stringify(message));
  };
  const hidden = before.filter((message) => !shown.has(message) && !(ids.has(message.id) && hasText(message)));
  const { factCount, missing } = factSurvival(hidden, after, "");
  return { facts: factCount, visible: factCount - missing.length };
}
