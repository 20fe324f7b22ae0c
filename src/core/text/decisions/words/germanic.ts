import type { DecisionWords } from "./decision-words.ts";

export const GERMANIC = {
  english: {
    isSpaced: true,
    stated: [
      ...["decided to", "decided on", "decided that", "decided against", "we decided", "i decided", "have decided"],
      ...["i've decided", "we've decided", "was decided", "been decided", "it is decided", "it's decided"],
      ...["the decision is", "the decision was", "final decision", "decision:", "our decision"],
      ...["let's go with", "will go with", "i'll go with", "we'll go with", "going with", "let's use", "we'll use"],
      ...["we will use", "i chose", "we chose", "chose to", "have chosen", "i've chosen", "we've chosen"],
      ...["opted for", "opted to", "opting for", "settled on", "sticking with", "let's stick with", "we'll stick with"],
      ...["we agreed", "agreed to use", "agreed on", "use … instead of"],
    ],
    denied: [
      ...["not decided", "not … been decided", "not yet … decided", "haven't … decided", "hasn't … decided"],
      ...[
        "hasn't been … decided",
        "undecided",
        "never decided",
        "didn't decide",
        "nothing … decided",
        "until … decided",
      ],
      ...["not agreed", "haven't … agreed", "not … chosen", "haven't … chosen", "who decided", "if we decided"],
      ...["once … decided", "no final decision", "not going with"],
    ],
  },
  german: {
    isSpaced: true,
    stated: [
      ...[
        "haben … entschieden",
        "habe … entschieden",
        "hab … entschieden",
        "wurde … entschieden",
        "es ist entschieden",
      ],
      ...["entscheide mich für", "entscheiden uns für", "entschied mich", "entschieden uns", "entschieden wir uns"],
      ...["haben … beschlossen", "habe … beschlossen", "wurde … beschlossen", "ist beschlossen"],
      ...["die entscheidung ist", "die entscheidung fiel", "entscheidung:", "haben uns … geeinigt", "einigten uns auf"],
      ...["wir bleiben bei", "bleiben wir bei", "wir nehmen … statt", "wir verwenden … statt", "nehmen wir … statt"],
      ...["haben … gewählt", "habe … gewählt"],
    ],
    denied: [
      ...["nicht … entschieden", "nicht … beschlossen", "nicht … geeinigt", "nicht … gewählt", "unentschieden"],
      ...["keine entscheidung", "nie … entschieden", "nichts … entschieden", "nichts … beschlossen"],
    ],
  },
  dutch: {
    isSpaced: true,
    stated: [
      ...["hebben … besloten", "heb … besloten", "is besloten", "werd besloten", "besloten om", "besluit:"],
      ...["het besluit is", "de beslissing is", "beslissing:", "hebben … gekozen", "heb … gekozen", "we kiezen voor"],
      ...[
        "ik kies voor",
        "hebben … afgesproken",
        "we gaan voor",
        "houden het bij",
        "blijven bij",
        "in plaats van … gebruiken we",
      ],
      ...["gebruiken … in plaats van"],
    ],
    denied: [
      ...["niet … besloten", "niet … gekozen", "niet … afgesproken", "niets … besloten", "geen besluit"],
      ...["geen beslissing", "onbeslist"],
    ],
  },
} as const satisfies Record<string, DecisionWords>;
