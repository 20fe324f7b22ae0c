import { asRecord } from "../../core/json/read-json.ts";
import { type ForecastState, rebase } from "../../core/tokens/forecast.ts";
import { isForecastState } from "../../core/tokens/is-forecast-state.ts";
import { isRewrite, type LogRecord } from "./journal/log-record.ts";
import type { SessionEvent } from "./report.ts";

/** What a log holds on a model's tokens. */
export type LearnedTokens =
  | { readonly type: "ratio"; readonly tokenRatio: number }
  /** A prompt that was reported, with what was learned until then. */
  | {
      readonly type: "anchored";
      readonly forecast: ForecastState;
      /** How many messages of the view the forecast's anchor covers. */
      readonly viewMessages: number;
      /** Our count of what was sent with them. */
      readonly systemTokens: number;
      readonly toolTokens: number;
    };

/** The model's tokens for one of ours. */
export function ratioOf(learned: LearnedTokens | undefined): number | undefined {
  return learned?.type === "anchored" ? learned.forecast.calibration.input.ratio : learned?.tokenRatio;
}

/** Follows the records of a log, and gives what they teach by now. */
export interface LearnedReplay {
  take(record: LogRecord): void;
  learned(modelId: string): LearnedTokens | undefined;
  /** What holds from the next message on; undefined where that is what holds already. */
  nextLearned(modelId: string): LearnedTokens | undefined;
  /** Whether tools were sent with a prompt that was reported; undefined where none was reported. */
  hasTools(): boolean | undefined;
  save(): SavedLearned;
}

/** All that a replay knows, as JSON can hold it. */
export interface SavedLearned {
  /** By model. */
  readonly current: readonly (readonly [modelId: string, learned: LearnedTokens])[];
  /** By model, what waits for the next message. */
  readonly waiting: readonly (readonly [modelId: string, learned: LearnedTokens])[];
  readonly hasTools?: boolean | undefined;
}

/** @default changed nothing is called; saved nothing is known */
export function createLearnedReplay(changed: () => void = () => undefined, saved?: SavedLearned): LearnedReplay {
  const current = new Map<string, LearnedTokens>(saved?.current);
  const waiting = new Map<string, LearnedTokens>(saved?.waiting);
  let hasTools = saved?.hasTools;
  if (current.size > 0) changed();

  function start(): void {
    if (waiting.size === 0) return;
    for (const [modelId, learned] of waiting) current.set(modelId, learned);
    waiting.clear();
    changed();
  }

  return {
    take: (record) => {
      if (record.type === "message") start();
      if (isRewrite(record)) for (const known of [current, waiting]) dropAnchors(known);
      const learned = record.type === "event" ? readLearned(record.event) : undefined;
      if (learned === undefined) return;
      if (learned.tokens.type === "anchored") hasTools = hasTools === true || learned.tokens.toolTokens > 0;
      waiting.set(learned.modelId, learned.tokens);
      if (!learned.isForNext) start();
    },
    learned: (modelId) => current.get(modelId),
    nextLearned: (modelId) => waiting.get(modelId),
    hasTools: () => hasTools,
    save: () => ({ current: [...current], waiting: [...waiting], hasTools }),
  };
}

/** The view is no longer the one whose prompt was reported: what was learned of the model's tokens stays. */
function dropAnchors(known: Map<string, LearnedTokens>): void {
  for (const [modelId, learned] of known) {
    if (learned.type === "anchored") {
      known.set(modelId, { ...learned, forecast: rebase(learned.forecast), viewMessages: 0 });
    }
  }
}

/** What the newest of these events that speaks of a model teaches; the view may be another one by now. */
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

/** Sessions are imported from files, too: what is no forecast there teaches nothing, and breaks nothing. */
function isReadable(event: Extract<SessionEvent, { type: "anchored" }>): boolean {
  const { forecast, viewMessages, systemTokens, toolTokens } = event;
  const areCounts = [viewMessages, systemTokens, toolTokens].every(
    (count) => Number.isSafeInteger(count) && count >= 0,
  );
  return areCounts && asRecord(forecast) !== undefined && isForecastState(forecast);
}
