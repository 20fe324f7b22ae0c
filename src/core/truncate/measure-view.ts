import { isPinned } from "../message/compaction.ts";
import { isStandIn, renderMessage, visiblePlaces } from "../message/effective-view.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { detectUnits, type Unit } from "../message/units.ts";
import { findStanding, isStanding, type Standing } from "../standing/find-standing.ts";
import { decides } from "../text/decisions/decides.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";

/** A log's view with its sizes, in the parts that are treated differently when room is short. */
export interface MeasuredView {
  readonly tokens: number;
  readonly units: readonly MeasuredUnit[];
}

export interface MeasuredUnit {
  /**
   * `current`: the last unit, what the model must answer to. `pinned`: the first one, and those that a person marked
   * important. `binding`: those that hold something that binds the agent. `deciding`: the newest ones in which something was decided, as
   * far as they are short. `other`: the rest, which goes first.
   */
  readonly standing: "current" | "pinned" | "binding" | "deciding" | "other";
  /** Whether something in it binds the agent, however it stands. */
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

/** The tokens of all units of that standing. */
export function tokensOf(view: MeasuredView, standing: MeasuredUnit["standing"]): number {
  return sumTokens(view.units.filter((unit) => unit.standing === standing));
}

export function sumTokens(parts: readonly { readonly tokens: number }[]): number {
  return parts.reduce((sum, part) => sum + part.tokens, 0);
}

/** So many decisions stay like what a person marked; more would be a conversation of its own. */
const MOST_UNITS = 8;
const MOST_TOKENS = 300;

/** Messages that are hidden together or not at all, with their size. */
interface SizedUnit {
  readonly tokens: number;
  readonly entries: readonly { readonly message: Message }[];
}

/** The newest units in which something was decided, as far as they are short. */
export function newestDeciding<Unit extends SizedUnit>(units: readonly Unit[]): readonly Unit[] {
  return units
    .filter(({ tokens }) => tokens <= MOST_TOKENS)
    .filter(({ entries }) => entries.some(({ message }) => !isStandIn(message) && decides(message)))
    .slice(-MOST_UNITS);
}
