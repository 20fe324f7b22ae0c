import type { CountTokens } from "../../message/message.ts";
import { contentBlocks, isToolResult } from "../../message/tool-pairs.ts";
import { detectUnits, type Unit } from "../../message/units.ts";
import { countMessageTokens } from "../../tokens/count-messages.ts";
import { hideable } from "../plan-hiding.ts";
import type { ViewEntry } from "../view-entries.ts";

export interface TailOptions {
  readonly tailTokens: number;
  readonly keepMessages: number;
  readonly countTokens: CountTokens;
}

/** The index in the view at which the kept tail begins: whole units, the newest that fit; the last one in any case. */
export function tailStart(view: readonly ViewEntry[], { tailTokens, keepMessages, countTokens }: TailOptions): number {
  const units = detectUnits(view.map(({ message }) => message));
  let start = view.length;
  let left = tailTokens;
  for (const unit of units.toReversed()) {
    for (const { message } of view.slice(unit.start, unit.end)) left -= countMessageTokens(message, countTokens);
    const isKept = unit.end > view.length - Math.max(1, keepMessages);
    if (left < 0 && !isKept) break;
    start = unit.start;
  }
  while (start > 0 && !opensTurn(view, start)) start = unitStartBefore(units, start);
  return start;
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

/** Where something important stays in front, the first message stays too: a user must speak first. */
export function hideableBefore(view: readonly ViewEntry[], split: number): readonly ViewEntry[] {
  const all = hideable(view, 0, split);
  const hidden = new Set(all);
  const first = view.find((entry, index) => index < split && !hidden.has(entry));
  if (all.length === 0 || first === undefined || first.message.role === "user") return all;
  const firstUnitEnd = detectUnits(view.map((entry) => entry.message))[0]?.end ?? 0;
  return hideable(view, firstUnitEnd, split);
}
