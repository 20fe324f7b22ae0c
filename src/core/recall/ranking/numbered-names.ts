import type { Passage } from "../passages/prepare-block.ts";

/** The factor for passages with `room 1` where `room 1` is asked for: separately, the two words occur wherever rooms are spoken of. */
const NUMBERED_NAME_WEIGHT = 1.3;

const NUMBERED_NAME = /\p{L}{2,30} \d{1,9}/gu;
const NAME_CHARACTER = /[\p{L}\p{N}]/u;

/** Returns the factor of a passage by the numbered names of a query; undefined where the query has none. */
export function numberedNameWeigher(query: string): ((passage: Passage) => number) | undefined {
  const names = [...query.toLowerCase().matchAll(NUMBERED_NAME)].map(([name]) => name);
  if (names.length === 0) return undefined;
  return ({ source, start, end }) => {
    const text = source.slice(start, end).toLowerCase();
    return names.some((name) => holdsName(text, name)) ? NUMBERED_NAME_WEIGHT : 1;
  };
}

/** Whether a text has the name as a whole: `room 1` is not in `room 16`. */
function holdsName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + name.length]];
    if (!NAME_CHARACTER.test(before) && !NAME_CHARACTER.test(after)) return true;
  }
  return false;
}
