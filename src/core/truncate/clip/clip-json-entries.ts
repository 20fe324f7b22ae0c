import { type JsonEntry, type JsonSource, skipSpace } from "./clip-json-scan.ts";
import { shareOut, type Wish } from "./clip-share.ts";

/** An entry that would be cut shorter than this is hidden instead. */
const LEAST_VALUE_CHARACTERS = 48;
/** One item of an array may take this share of it before it is cut: a few whole items say more than many stumps. */
const ITEM_SHARE = 1 / 8;
const HEAD_SHARE = 0.6;
/** White space between entries beyond this is not layout. */
const MAX_LAYOUT_CHARACTERS = 100;

/** The entries of an array or object that are shown, those at both ends, and the layout of the source. */
export interface ShownEntries {
  readonly head: readonly ShownEntry[];
  readonly tail: readonly ShownEntry[];
  /** The number of entries between them. */
  readonly hidden: number;
  readonly layout: Layout;
}

export interface ShownEntry extends JsonEntry {
  /** Room for its value. */
  readonly characters: number;
}

/** White space after the opening bracket, after each comma, and before the closing bracket. */
export interface Layout {
  readonly lead: string;
  readonly gap: string;
  readonly trail: string;
}

/** Chooses the entries of the container from `start` to `end` that are shown within about so many characters. */
export function chooseEntries(
  source: JsonSource,
  { start, end, characters }: { start: number; end: number; characters: number },
): ShownEntries {
  const { total, listed } = source.entriesAt(start);
  const layout = layoutOf(source.text, { start, end, listed });
  const isObject = source.text[start] === "{";
  // Keys say what an object is, so that all of them come before the full length of any value.
  const leastValue = isObject ? LEAST_VALUE_CHARACTERS : Math.max(LEAST_VALUE_CHARACTERS, characters * ITEM_SHARE);
  const wishOf = ({ start, valueStart, end }: JsonEntry): Wish => {
    const most = end - start + layout.gap.length + 1;
    return { most, least: Math.min(most, most - (end - valueStart) + leastValue) };
  };
  const kept = keepEnds(listed, { wishOf, room: characters, isWhole: listed.length === total });
  const entries = [...listed.slice(0, kept.head), ...listed.slice(listed.length - kept.tail)];
  const shares = shareOut(entries.map(wishOf), characters);
  const shown = entries.map((entry, index) => {
    const aroundValue = entry.valueStart - entry.start + layout.gap.length + 1;
    return { ...entry, characters: (shares[index] ?? 0) - aroundValue };
  });
  return { head: shown.slice(0, kept.head), tail: shown.slice(kept.head), hidden: total - shown.length, layout };
}

interface KeepEndsOptions {
  readonly wishOf: (entry: JsonEntry) => Wish;
  readonly room: number;
  /** Whether no entry is missing from the list. */
  readonly isWhole: boolean;
}

/** How many entries are shown at either end: all, if there is room for the least of each. */
function keepEnds(listed: readonly JsonEntry[], { wishOf, room, isWhole }: KeepEndsOptions) {
  const countWithin = (entries: readonly JsonEntry[], limit: number): number => {
    let used = 0;
    const count = entries.findIndex((entry) => {
      used += wishOf(entry).least;
      return used > limit;
    });
    return count < 0 ? entries.length : count;
  };
  if (isWhole && countWithin(listed, room) === listed.length) return { head: listed.length, tail: 0 };
  // A list that is not whole is as many first as last entries: neither end may reach over the gap.
  const middle = listed.length / 2;
  const head = countWithin(isWhole ? listed : listed.slice(0, middle), room * HEAD_SHARE);
  // Each entry takes at least one character, so no more than `room` entries of a long list need to be measured.
  const lookFrom = listed.length - Math.max(0, Math.ceil(room));
  const last = listed.slice(Math.max(isWhole ? head : middle, lookFrom));
  return { head, tail: countWithin(last.toReversed(), room * (1 - HEAD_SHARE)) };
}

function layoutOf(
  text: string,
  { start, end, listed }: { start: number; end: number; listed: readonly JsonEntry[] },
): Layout {
  const spaceAt = (from: number) => {
    const space = text.slice(from, skipSpace(text, from));
    return space.length > MAX_LAYOUT_CHARACTERS ? " " : space;
  };
  const [first, second] = listed;
  const lead = spaceAt(start + 1);
  return {
    lead,
    gap: first === undefined || second === undefined ? lead : spaceAt(text.indexOf(",", first.end) + 1),
    trail: spaceAt(listed.at(-1)?.end ?? end - 1),
  };
}
