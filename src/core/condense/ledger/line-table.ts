import type { Candidate, PackOptions } from "./pack-lines.ts";
import type { SourceLine } from "./source-lines.ts";

/** The identifiers of candidates by number: the worth of a line is summed up again and again, and looking up strings took most of that time. */
export interface LineTable {
  /** How many groups there are. */
  readonly groups: number;
  /** By the number of an identifier, 1 where the view shows it anyway. */
  readonly seen: Uint8Array;
  /** The worth of a candidate, without that of the identifiers that are named. */
  worthOf(item: number, named: Uint8Array): number;
  /** Marks the identifiers of a candidate, or of any line, as named. */
  nameItem(item: number, named: Uint8Array): void;
  name(line: SourceLine | undefined, named: Uint8Array): void;
}

export function tableOf(candidates: readonly Candidate[], { weights, seen }: PackOptions): LineTable {
  const numbers = new Map<string, number>();
  const worth: number[] = [];
  const isSeen: number[] = [];
  // The numbers of all candidates' identifiers in one array; `starts` says where those of each candidate begin.
  const all: number[] = [];
  const starts: number[] = [0];
  let groups = 0;
  for (const { identifiers, group } of candidates) {
    for (const identifier of identifiers) {
      let number = numbers.get(identifier);
      if (number === undefined) {
        number = worth.length;
        numbers.set(identifier, number);
        worth.push(weights.get(identifier) ?? 0);
        isSeen.push(seen.has(identifier) ? 1 : 0);
      }
      all.push(number);
    }
    starts.push(all.length);
    groups = Math.max(groups, group + 1);
  }
  return {
    groups,
    seen: Uint8Array.from(isSeen),
    worthOf(item, named) {
      let sum = candidates[item]?.value ?? 0;
      const end = starts[item + 1] ?? 0;
      for (let at = starts[item] ?? 0; at < end; at++) {
        const number = all[at] ?? 0;
        if (named[number] !== 1) sum += worth[number] ?? 0;
      }
      return sum;
    },
    nameItem(item, named) {
      const end = starts[item + 1] ?? 0;
      for (let at = starts[item] ?? 0; at < end; at++) named[all[at] ?? 0] = 1;
    },
    name(line, named) {
      for (const identifier of line?.identifiers ?? []) {
        const number = numbers.get(identifier);
        if (number !== undefined) named[number] = 1;
      }
    },
  };
}
