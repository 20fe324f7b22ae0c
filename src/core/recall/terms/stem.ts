const [A, D, E, G, I, L, N, S, U, Y, Z] = Array.from("adegilnsuyz", (letter) => letter.charCodeAt(0));

/** Shorter words keep their endings: `use`, `bus`, `red`. */
const MIN_WORD_UNITS = 4;
const MIN_STEM_UNITS = 3;

/**
 * Where the stem of the lower-case ASCII word `units[start…end)` ends. Removes plurals, -ed, -ing and a last -e, so that
 * `rotate`, `rotates`, `rotated` and `rotating` are one term; uses no dictionary and no other endings. May rewrite the last
 * unit of the stem (`retries` → `retry`).
 */
export function stemEnd(units: Uint16Array, start: number, end: number): number {
  if (end - start < MIN_WORD_UNITS || !isAsciiWord(units, start, end)) return end;
  const singular = withoutPlural(units, start, end);
  const base = withoutTense(units, start, singular);
  return units[base - 1] === E && base - 1 - start >= MIN_STEM_UNITS ? base - 1 : base;
}

function isAsciiWord(units: Uint16Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = units[at] ?? 0;
    if (unit < 0x61 || unit > 0x7a) return false;
  }
  return true;
}

function withoutPlural(units: Uint16Array, start: number, end: number): number {
  if (units[end - 1] !== S) return end;
  const before = units[end - 2];
  // `class`, `status`, `basis`
  if (before === S || before === U || before === I) return end;
  return before === E && units[end - 3] === I ? toY(units, start, end - 3) : end - 1;
}

function withoutTense(units: Uint16Array, start: number, end: number): number {
  if (units[end - 1] === G && units[end - 2] === N && units[end - 3] === I) return withoutSuffix(units, start, end - 3);
  if (units[end - 1] !== D || units[end - 2] !== E) return end;
  // `need`, `exceed`
  if (units[end - 3] === E) return end;
  return units[end - 3] === I ? toY(units, start, end - 3) : withoutSuffix(units, start, end - 2);
}

/** `queries` → `query`, `retried` → `retry`, but not `ties` and `died`. */
function toY(units: Uint16Array, start: number, at: number): number {
  if (at - start < 2) return at + 2;
  units[at] = Y ?? 0;
  return at + 1;
}

function withoutSuffix(units: Uint16Array, start: number, stem: number): number {
  const suffixed = units[stem] === I ? stem + 3 : stem + 2;
  if (stem - start < MIN_STEM_UNITS || !hasVowel(units, start, stem)) return suffixed;
  const last = units[stem - 1];
  const isDoubled = last === units[stem - 2] && last !== L && last !== S && last !== Z;
  return isDoubled && stem - 1 - start >= MIN_STEM_UNITS ? stem - 1 : stem;
}

const VOWELS = new Set([A, E, I, U, Y, "o".charCodeAt(0)]);

function hasVowel(units: Uint16Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (VOWELS.has(units[at])) return true;
  return false;
}
