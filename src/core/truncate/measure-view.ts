import { isPinned } from "../message/compaction.ts";
import { isStandIn, renderMessage, visiblePlaces } from "../message/effective-view.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { detectUnits, type Unit } from "../message/units.ts";
import { findStanding, isStanding, type Standing } from "../standing/find-standing.ts";
import { decides } from "../text/decisions/decides.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";

/** The units of a log's view with their sizes, and how each is treated when room is short. */
export interface MeasuredView {
  readonly tokens: number;
  readonly units: readonly MeasuredUnit[];
}

export interface MeasuredUnit {
  /**
   * `current`: the last unit, which the model must answer. `pinned`: the first one, and those with a message that is marked
   * important or holds a provider's compaction. `binding`: those that hold something that binds the agent. `deciding`: the newest short ones in which
   * something was decided. `other`: the rest, which is hidden first.
   */
  readonly standing: "current" | "pinned" | "binding" | "deciding" | "other";
  /** Whether something in it binds the agent, whatever its standing. */
  readonly binds: boolean;
  readonly tokens: number;
  readonly entries: readonly MeasuredMessage[];
}

export interface MeasuredMessage {
  readonly message: Message;
  readonly logIndex: number;
  /** As the view shows it. */
  readonly tokens: number;
}

export function measureView(messages: readonly Message[], countTokens: CountTokens): MeasuredView {
  const entries: MeasuredMessage[] = [];
  for (const logIndex of visiblePlaces(messages)) {
    const message = messages[logIndex];
    if (message === undefined) continue;
    entries.push({ message, logIndex, tokens: countMessageTokens(renderMessage(message), countTokens) });
  }
  const standing = findStanding(messages);
  const units = detectUnits(entries.map((entry) => entry.message)).map((unit) => measureUnit(unit, entries, standing));
  return { tokens: sumTokens(entries), units: markDeciding(units) };
}

function markDeciding(units: readonly MeasuredUnit[]): readonly MeasuredUnit[] {
  const deciding = newestDeciding(units.filter(({ standing }) => standing === "other"));
  if (deciding.length === 0) return units;
  return units.map((unit) => (deciding.includes(unit) ? { ...unit, standing: "deciding" } : unit));
}

function measureUnit({ start, end }: Unit, view: readonly MeasuredMessage[], bound: Standing): MeasuredUnit {
  const entries = view.slice(start, end);
  const isMarked = entries.some((entry) => isPinned(entry.message));
  const binds = entries.some((entry) => isStanding(bound, entry.logIndex));
  const standing =
    end === view.length ? "current" : isMarked ? "pinned" : binds ? "binding" : start === 0 ? "pinned" : "other";
  return { standing, binds, tokens: sumTokens(entries), entries };
}

/** The tokens of all units with this standing. */
export function tokensOf(view: MeasuredView, standing: MeasuredUnit["standing"]): number {
  return sumTokens(view.units.filter((unit) => unit.standing === standing));
}

export function sumTokens(parts: readonly { readonly tokens: number }[]): number {
  return parts.reduce((sum, part) => sum + part.tokens, 0);
}

/** Units that may have the standing `deciding`, and the size of each: more would be a conversation of its own. */
const MOST_DECIDING = 8;
const MOST_DECIDING_TOKENS = 300;

/** Messages that are hidden together or not at all, with their size. */
interface SizedUnit {
  readonly tokens: number;
  readonly entries: readonly { readonly message: Message }[];
}

/** The newest short units in which something was decided. */
export function newestDeciding<Unit extends SizedUnit>(units: readonly Unit[]): readonly Unit[] {
  return units
    .filter(({ tokens }) => tokens <= MOST_DECIDING_TOKENS)
    .filter(({ entries }) =>
      entries.some(({ message }) => !isStandIn(message) && message.isSummary !== true && decides(message)),
    )
    .slice(-MOST_DECIDING);
}
