// The classes of UTF-16 units that the scanner distinguishes.
export const SEPARATOR = 0;
export const UPPER = 1;
/** Small letters, and letters of scripts that have no case. */
export const LOWER = 2;
export const DIGIT = 3;
/** `_ - . /`: joins the parts of an identifier. */
export const JOINER = 4;
/** A letter of a script that puts no spaces between words. */
export const UNSPACED = 5;
/** The first half of an ideograph outside the basic plane. */
export const UNSPACED_PAIR = 6;
/** A combining accent, which is ignored. */
export const MARK = 7;

const JOINERS = "_-./";
const UNSPACED_LETTER =
  /^(?=[\p{L}\p{M}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** Letters that Unicode does not decompose, although people type them without the stroke. */
const STROKES: Readonly<Record<string, string>> = { ø: "o", Ø: "o", ł: "l", Ł: "l", đ: "d", Đ: "d", ı: "i", ħ: "h" };

const UNITS = 0x10000;
const UNKNOWN = 255;

// Filled lazily: classifying every unit in advance would take a tenth of a second.
const classes = /* @__PURE__ */ new Uint8Array(UNITS).fill(UNKNOWN);
const folds = new Uint16Array(UNITS);

/** The class of a unit: one of the constants above. */
export function classOf(unit: number): number {
  const known = classes[unit] ?? SEPARATOR;
  return known === UNKNOWN ? learn(unit) : known;
}

/** The unit in lower case, at its usual width, without diacritics. Only valid after a call of {@link classOf} for it. */
export function foldOf(unit: number): number {
  return folds[unit] ?? 0;
}

function learn(unit: number): number {
  const character = String.fromCharCode(unit);
  const folded = foldCharacter(character);
  const kind = classify(character, folded);
  folds[unit] = folded.charCodeAt(0);
  classes[unit] = kind;
  return kind;
}

function classify(character: string, folded: string): number {
  if (character >= "\ud840" && character <= "\ud88f") return UNSPACED_PAIR;
  if (JOINERS.includes(folded)) return JOINER;
  if (UNSPACED_LETTER.test(character)) return UNSPACED;
  if (/^\p{M}/u.test(character)) return MARK;
  if (/^\p{N}/u.test(character)) return DIGIT;
  if (/^[\p{Lu}\p{Lt}]/u.test(character)) return UPPER;
  return /^\p{L}/u.test(character) ? LOWER : SEPARATOR;
}

/** Folds one unit to one unit; a character that would become several (ligatures, ß) stays as it is. */
function foldCharacter(character: string): string {
  if (character < "\u0080") return character.toLowerCase();
  const stroke = STROKES[character];
  if (stroke !== undefined) return stroke;
  const composed = character.normalize("NFKC");
  if (UNSPACED_LETTER.test(character)) return composed.length === 1 ? composed : character;
  const bare = character
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  if (bare.length === 1) return bare;
  const lower = character.toLowerCase();
  return lower.length === 1 ? lower : character;
}
