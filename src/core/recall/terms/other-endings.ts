/** Endings of nouns, adjectives and verbs, the empty one first. They have no diacritics, as the scanner folds these. */
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

/** Words by which the language of a query is told; none is an English word or a name as well. */
const GERMAN_WORDS =
  /(?<![\p{L}])(?:der|das|und|ist|nicht|wie|wann|wo|wer|wieso|warum|welche|welchen|welchem|welcher|welches|viel|seit|gegen|seine|seinen|wird|wurde|wurden|haben|hatte|nach|auf|zum|zur|ich|mein|meine|habe|für|het|een|niet|waar|wanneer|mijn)(?![\p{L}])/iu;
const ROMANCE_WORDS =
  /(?<![\p{L}])(?:una|qué|cuándo|dónde|quién|por|para|une|où|quand|qui|avec|pour|della|quando|uma|onde|quem|meu|minha|não)(?![\p{L}])/iu;

const CYRILLIC = /^\p{Script=Cyrillic}+$/u;
const LEAST_STEM = 4;
const LEAST_CYRILLIC_STEM = 3;

/**
 * Returns the inflected forms of a query's words, for languages whose endings the scanner does not remove: Russian and Ukrainian, told by their script,
 * and German, Dutch and the Romance languages, told by the query's function words. No forms for English.
 */
export function inflecter(query: string): (word: string) => readonly string[] {
  const latin = GERMAN_WORDS.test(query) ? GERMAN : ROMANCE_WORDS.test(query) ? ROMANCE : undefined;
  return (word) => {
    if (CYRILLIC.test(word)) return formsOf(word, RUSSIAN, LEAST_CYRILLIC_STEM);
    return latin === undefined ? NONE : formsOf(word, latin, LEAST_STEM);
  };
}

const LEAST_PART = 4;
const ANY_WORD = /\p{L}{9,40}/gu;

/** The parts that long words of a German or Dutch query may be compounds of: `Rückenschmerzen` is found by `Rücken`. None for other languages. */
export function compoundParts(query: string): ReadonlySet<string> {
  const parts = new Set<string>();
  if (!GERMAN_WORDS.test(query)) return parts;
  for (const [given] of query.matchAll(ANY_WORD)) {
    const word = given.toLowerCase();
    for (let at = LEAST_PART; at <= word.length - LEAST_PART; at++) parts.add(word.slice(0, at)).add(word.slice(at));
  }
  return parts;
}

const NONE: readonly string[] = [];

/** The word with each of the endings in place of its own, the longest that it has. */
function formsOf(word: string, endings: readonly string[], leastStem: number): readonly string[] {
  let longest = "";
  for (const ending of endings) {
    const isLonger = ending.length > longest.length && word.length - ending.length >= leastStem;
    if (isLonger && word.endsWith(ending)) longest = ending;
  }
  const stem = word.slice(0, word.length - longest.length);
  return stem.length < leastStem ? NONE : endings.map((ending) => stem + ending).filter((form) => form !== word);
}
