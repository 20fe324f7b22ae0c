import type { CountTokens } from "../../message/message.ts";
import { contentBlocks, isToolResult } from "../../message/tool-pairs.ts";
import { detectUnits, type Unit } from "../../message/units.ts";
import { countMessageTokens } from "../../tokens/count-messages.ts";
import type { ViewEntry } from "../view-entries.ts";

export interface TailOptions {
  readonly tailTokens: number;
  /** So many of the newest messages stay even where they are larger, as far as all together take no more than `mostTokens`. */
  readonly keepMessages: number;
  readonly mostTokens: number;
  readonly countTokens: CountTokens;
}

/** The index in the view at which the kept tail begins: whole units, the newest that fit; the current turn in any case. */
export function tailStart(view: readonly ViewEntry[], options: TailOptions): number {
  const { tailTokens, keepMessages, mostTokens, countTokens } = options;
  const units = detectUnits(view.map(({ message }) => message));
  const current = startOfCurrentTurn(view, units);
  let start = view.length;
  let taken = 0;
  for (const unit of units.toReversed()) {
    for (const { message } of view.slice(unit.start, unit.end)) taken += countMessageTokens(message, countTokens);
    const isWanted = unit.end > view.length - keepMessages && taken <= mostTokens;
    if (unit.start < current && taken > tailTokens && !isWanted) break;
    start = unit.start;
  }
  while (start > 0 && !opensTurn(view, start)) start = unitStartBefore(units, start);
  return start;
}

/** What the model has not answered: the last unit and, where a person spoke after results, these too. It has seen neither. */
function startOfCurrentTurn(view: readonly ViewEntry[], units: readonly Unit[]): number {
  const spoken = view.findLastIndex(({ message }) => message.role === "assistant");
  const called = units.find(({ start, end }) => start <= spoken && spoken < end - 1);
  return called?.start ?? units.at(-1)?.start ?? 0;
}

function unitStartBefore(units: readonly Unit[], start: number): number {
  return units.findLast((unit) => unit.start < start)?.start ?? 0;
}

/** Neighbouring messages of the assistant are one turn, and a result without a call must not come first. */
function opensTurn(view: readonly ViewEntry[], index: number): boolean {
  const [before, message] = [view[index - 1]?.message, view[index]?.message];
  if (message === undefined) return true;
  if (message.role === "assistant" && before?.role === "assistant") return false;
  return !contentBlocks(message.content).some(isToolResult);
}
