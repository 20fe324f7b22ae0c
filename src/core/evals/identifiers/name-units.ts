const NONE = 0;
const NAME = 1;
const JOINER = 2;

/** What each ASCII character is to a name: a part of it, something that joins two names, or its end. */
const ROLES: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/\w/.test(character)) return NAME;
  return "-./:@~".includes(character) ? JOINER : NONE;
});

/** Letters, digits and underscores. Of the letters beyond ASCII, those of scripts with capitals: others are written without spaces, or with endings on the name. */
export function isNameUnit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 128) return ROLES[unit] === NAME;
  return isCasedUnit(unit);
}

/** What a name may hold, the characters between names included. */
export function isRunUnit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 128) return ROLES[unit] !== NONE;
  return isCasedUnit(unit);
}

function isCasedUnit(unit: number): boolean {
  // Accents that are written as characters of their own, as macOS does in names of files.
  if (unit >= 0x300 && unit < 0x370) return true;
  const character = String.fromCharCode(unit);
  return character.toLowerCase() !== character.toUpperCase();
}
