/** Endings of nouns, adjectives and verbs; the empty one first. The scanner folds diacritics, so they have none. */
const RUSSIAN = [
  ...[
    "",
    "а",
    "я",
    "у",
    "ю",
    "ы",
    "и",
    "е",
    "о",
    "ой",
    "ей",
    "ом",
    "ем",
    "ам",
    "ям",
    "ах",
    "ях",
    "ами",
    "ями",
    "ов",
    "ев",
  ],
  ...[
    "ь",
    "ый",
    "ий",
    "ая",
    "ую",
    "ые",
    "ого",
    "ть",
    "л",
    "ла",
    "ли",
    "ет",
    "ют",
    "ит",
    "ат",
    "ят",
    "и",
    "ові",
    "ою",
    "ів",
  ],
];
const GERMAN = ["", "e", "en", "er", "es", "em", "n", "ern", "s", "t", "te", "ten", "st", "et", "je", "jes"];
const ROMANCE = [
  ...["", "s", "es", "a", "o", "as", "os", "e", "i", "ar", "er", "ir", "are", "ere", "ire", "ado", "ada", "ato", "ata"],
  ...["ee", "ees", "ais", "ait", "ons", "ez", "ent", "aba", "ando", "iendo", "io", "iamo", "ano", "amos"],
];

/** Words by which a query tells its language; none that is an English word or a name as well. */
const GERMAN_WORDS =
  /(?<![\p{L}])(?:der|das|und|ist|nicht|wie|wann|wo|wer|ich|mein|meine|habe|für|het|een|niet|waar|wanneer|mijn)(?![\p{L}])/iu;
const ROMANCE_WORDS =
  /(?<![\p{L}])(?:una|qué|cuándo|dónde|quién|por|para|une|où|quand|qui|avec|pour|della|quando|uma|onde|quem|meu|minha|não)(?![\p{L}])/iu;

const CYRILLIC = /^\p{Script=Cyrillic}+$/u;
const LEAST_STEM = 4;
const LEAST_CYRILLIC_STEM = 3;

/**
 * Gives the forms that a word of the query may have in what was said, where its language bends words by endings that the scanner leaves as they are:
 * Russian and Ukrainian by their script, German and Dutch, and the Romance languages by the small words of the query. None for English.
 */
export function inflecter(query: string): (word: string) => readonly string[] {
  const latin = GERMAN_WORDS.test(query) ? GERMAN : ROMANCE_WORDS.test(query) ? ROMANCE : undefined;
  return (word) => {
    if (CYRILLIC.test(word)) return formsOf(word, RUSSIAN, LEAST_CYRILLIC_STEM);
    return latin === undefined ? NONE : formsOf(word, latin, LEAST_STEM);
  };
}

const NONE: readonly string[] = [];

/** The word with each ending in place of its longest one. */
function formsOf(word: string, endings: readonly string[], leastStem: number): readonly string[] {
  let longest = "";
  for (const ending of endings) {
    const isLonger = ending.length > longest.length && word.length - ending.length >= leastStem;
    if (isLonger && word.endsWith(ending)) longest = ending;
  }
  const stem = word.slice(0, word.length - longest.length);
  return stem.length < leastStem ? NONE : endings.map((ending) => stem + ending).filter((form) => form !== word);
}
