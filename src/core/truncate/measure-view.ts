import { collectStandIns, isHidden, renderMessage } from "../message/effective-view.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { detectUnits, type Unit } from "../message/units.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";

/** A log's view with its sizes, and where each visible message stands in the log. */
export interface MeasuredView {
  readonly entries: readonly MeasuredMessage[];
  /** Over `entries`. The first unit and the last one (the current turn) are never hidden to make room. */
  readonly units: readonly Unit[];
  readonly tokens: number;
  /** Tokens of the first and the last unit. */
  readonly keptTokens: number;
}

export interface MeasuredMessage {
  readonly message: Message;
  readonly logIndex: number;
  /** As the view shows it. */
  readonly tokens: number;
}

export function measureView(messages: readonly Message[], countTokens: CountTokens): MeasuredView {
  const standIns = collectStandIns(messages);
  const entries: MeasuredMessage[] = [];
  for (const [logIndex, message] of messages.entries()) {
    if (isHidden(message, standIns)) continue;
    entries.push({ message, logIndex, tokens: countMessageTokens(renderMessage(message), countTokens) });
  }
  const units = detectUnits(entries.map((entry) => entry.message));
  const kept = units.length > 1 ? [units[0], units.at(-1)] : units;
  return {
    entries,
    units,
    tokens: sumTokens(entries),
    keptTokens: kept.reduce((sum, unit) => sum + sumTokens(entries.slice(unit?.start, unit?.end)), 0),
  };
}

export function sumTokens(entries: readonly MeasuredMessage[]): number {
  return entries.reduce((sum, entry) => sum + entry.tokens, 0);
}
