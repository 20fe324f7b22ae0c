/**
 * Everyday words that people use for each other: a question has `pet`, the answer `puppy`. Only common words with one main meaning; which other words
 * are related is learnt from the conversation itself.
 */
const GROUPS: readonly string[] = [
  ...["pet dog puppy cat kitten", "child kid son daughter baby toddler", "husband wife spouse partner"],
  ...["parent mother father mom dad mum", "sibling sister brother", "grandmother grandma grandfather grandpa"],
  ...["boyfriend girlfriend partner", "friend buddy pal", "colleague coworker", "married marriage wedding"],
  ...["holiday vacation trip travel journey", "flight plane airport", "hike hiking trail", "jog run running"],
  ...["exercise workout gym", "movie film", "book novel", "music song band concert", "instrument guitar piano violin"],
  ...["picture photo photograph image", "paint painting painted art", "present gift", "buy purchase bought"],
  ...["cost price pay paid expensive", "money budget savings", "job work career profession", "boss manager"],
  ...[
    "fired laid-off layoff",
    "salary income wage",
    "company firm business",
    "store shop",
    "house home apartment flat",
  ],
  ...[
    "move moved relocate relocated",
    "rent landlord lease",
    "car vehicle",
    "bicycle bike",
    "illness sick ill disease",
  ],
  ...["injury injured hurt", "doctor physician hospital clinic", "medicine medication", "allergic allergy"],
  ...[
    "food meal dish",
    "cook cooking recipe",
    "restaurant dinner",
    "favorite favourite best",
    "like love enjoy prefer",
  ],
  ...["begin start started", "finish finished complete completed", "stop quit", "talk chat conversation"],
  ...["explain showed", "recommend suggest recommended suggested recommendation", "plan planning planned"],
  ...["scared afraid fear", "happy glad excited", "sad upset", "angry mad", "worried anxious nervous stress stressed"],
  ...["school college university", "class course lesson", "exam test", "teacher professor", "degree major"],
  ...["die died death passed", "born birth birthday", "age old", "name called", "city town", "country nation"],
  ...["hobby hobbies pastime", "game games gaming", "competition tournament contest", "team club group"],
  ...["garden plant gardening", "phone mobile", "computer laptop", "help support volunteer charity"],
  ...[
    "cat kitten",
    "grandson granddaughter grandchild",
    "aunt uncle cousin",
    "roommate flatmate housemate lodger tenant",
  ],
  ...["cello flute drums saxophone instrument", "sing singing choir", "choir band orchestra", "colour color shade"],
  ...[
    "medicine drug pill pills tablet tablets prescription",
    "surgery operation operated",
    "pain ache sore",
    "earn paid",
  ],
  ...[
    "retire retired retirement",
    "resign resigned quit",
    "hire hired recruit",
    "promotion promoted",
    "divorce separated",
  ],
  ...[
    "pregnant expecting baby",
    "engaged engagement fiance",
    "funeral grave",
    "party celebration celebrate celebrated",
  ],
  ...["dislike hate hates", "adopt adopted rescue rescued", "meat vegetarian vegan", "church religion faith"],
  ...["stolen theft thief robbed", "crash accident", "broken damaged broke", "repair fix fixed repaired mend"],
  ...["speech language accent", "drawing sketch draw", "exhibition gallery show", "dance dancing ballet"],
  ...["swim swimming pool", "bake baking cake bread", "snow ski skiing", "beach sea ocean", "camp camping tent"],
  ...["yearly annual", "weekly week", "monthly month", "daily day everyday"],
];

const related = /* @__PURE__ */ readGroups();

function readGroups(): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, Set<string>>();
  for (const group of GROUPS) {
    const members = group.split(" ");
    for (const word of members) {
      const others = words.get(word) ?? new Set();
      words.set(word, others);
      for (const other of members) if (other !== word) others.add(other);
    }
  }
  return new Map([...words].map(([word, others]) => [word, [...others]]));
}

/** Words that may be used for a lower-case English word or its singular; none for most words. */
export function relatedWords(word: string): readonly string[] {
  return related.get(word) ?? (word.endsWith("s") ? related.get(word.slice(0, -1)) : undefined) ?? NONE;
}

const NONE: readonly string[] = [];
