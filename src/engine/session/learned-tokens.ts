import { asRecord } from "../../core/json/read-json.ts";
import { type ForecastState, rebase } from "../../core/tokens/forecast.ts";
import { isForecastState } from "../../core/tokens/is-forecast-state.ts";
import { isRewrite, type LogRecord } from "./journal/log-record.ts";
import type { SessionEvent } from "./report.ts";

/** What the records of a session teach about how a model counts tokens. */
export type LearnedTokens =
  | { readonly type: "ratio"; readonly tokenRatio: number }
  /** A prompt whose size the provider reported, with the forecast that was learned up to then. */
  | {
      readonly type: "anchored";
      readonly forecast: ForecastState;
      /** How many messages of the view the forecast's anchor covers. */
      readonly viewMessages: number;
      /** Our count of the system prompt and the tools that were sent with these messages. */
      readonly systemTokens: number;
      readonly toolTokens: number;
    };

/** The model's tokens for one of ours. */
export function ratioOf(learned: LearnedTokens | undefined): number | undefined {
  return learned?.type === "anchored" ? learned.forecast.calibration.input.ratio : learned?.tokenRatio;
}

/** Collects from a session's records what they teach about how models count tokens. */
export interface LearnedReplay {
  take(record: LogRecord): void;
  learned(modelId: string): LearnedTokens | undefined;
  /** What the records teach from the next message on; undefined where that is what `learned` returns already. */
  nextLearned(modelId: string): LearnedTokens | undefined;
  /** Whether a prompt with a reported size had tools; undefined where no size was reported. */
  hasTools(): boolean | undefined;
  save(): SavedLearned;
}

/** The state of a `LearnedReplay`, as JSON can hold it. */
export interface SavedLearned {
  /** By model. */
  readonly current: readonly (readonly [modelId: string, learned: LearnedTokens])[];
  /** By model, what holds from the next message on. */
  readonly waiting: readonly (readonly [modelId: string, learned: LearnedTokens])[];
  readonly hasTools?: boolean | undefined;
}

/** @default onChange nothing is called; saved nothing was learned */
export function createLearnedReplay(onChange: () => void = () => undefined, saved?: SavedLearned): LearnedReplay {
  const current = new Map<string, LearnedTokens>(saved?.current);
  const waiting = new Map<string, LearnedTokens>(saved?.waiting);
  let hasTools = saved?.hasTools;
  if (current.size > 0) onChange();

  /** Makes what waited for the next message hold. */
  function startWaiting(): void {
    if (waiting.size === 0) return;
    for (const [modelId, learned] of waiting) current.set(modelId, learned);
    waiting.clear();
    onChange();
  }

  return {
    take: (record) => {
      if (record.type === "message") startWaiting();
      if (isRewrite(record)) for (const learned of [current, waiting]) dropAnchors(learned);
      const learned = record.type === "event" ? readLearned(record.event) : undefined;
      if (learned === undefined) return;
      if (learned.tokens.type === "anchored") hasTools = hasTools === true || learned.tokens.toolTokens > 0;
      waiting.set(learned.modelId, learned.tokens);
      if (!learned.isForNext) startWaiting();
    },
    learned: (modelId) => current.get(modelId),
    nextLearned: (modelId) => waiting.get(modelId),
    hasTools: () => hasTools,
    save: () => ({ current: [...current], waiting: [...waiting], hasTools }),
  };
}

/** Removes the anchors of forecasts, as the view is no longer the one whose prompt was reported. The learned calibration stays. */
function dropAnchors(byModel: Map<string, LearnedTokens>): void {
  for (const [modelId, learned] of byModel) {
    if (learned.type === "anchored") {
      byModel.set(modelId, { ...learned, forecast: rebase(learned.forecast), viewMessages: 0 });
    }
  }
}

/** What the newest event about a model teaches; undefined where no event is about it. The view may have changed since. */
export function newestLearned(events: readonly SessionEvent[], modelId: string): LearnedTokens | undefined {
  const teaches = (event: SessionEvent) => readLearned(event)?.modelId === modelId;
  const newest = events.findLast(teaches);
  return newest && readLearned(newest)?.tokens;
}

interface ReadLearned {
  readonly modelId: string;
  readonly tokens: LearnedTokens;
  readonly isForNext: boolean;
}

function readLearned(event: SessionEvent): ReadLearned | undefined {
  switch (event.type) {
    case "calibrated": {
      const { modelId, tokenRatio } = event;
      return { modelId, tokens: { type: "ratio", tokenRatio }, isForNext: event.from === "next-message" };
    }
    case "anchored": {
      if (!isReadable(event)) return undefined;
      const { modelId, forecast, viewMessages, systemTokens, toolTokens } = event;
      const tokens = { type: "anchored", forecast, viewMessages, systemTokens, toolTokens } as const;
      return { modelId, tokens, isForNext: event.from === "next-message" };
    }
    default:
      return undefined;
  }
}

/** Whether an event has the types that it should: sessions may be imported from files, where anything can stand. */
function isReadable(event: Extract<SessionEvent, { type: "anchored" }>): boolean {
  const { forecast, viewMessages, systemTokens, toolTokens } = event;
  const areCounts = [viewMessages, systemTokens, toolTokens].every(
    (count) => Number.isSafeInteger(count) && count >= 0,
  );
  return areCounts && asRecord(forecast) !== undefined && isForecastState(forecast);
}
