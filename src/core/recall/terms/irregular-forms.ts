/** Irregular forms of English words: a question has `did you go`, the answer `I went`. */
const GROUPS: readonly string[] = [
  ...["become became", "begin began begun", "break broke broken", "bring brought", "build built", "buy bought"],
  ...["catch caught", "choose chose chosen", "come came", "draw drew drawn", "drink drank", "drive drove driven"],
  ...["eat ate eaten", "fall fell fallen", "feel felt", "find found", "fly flew flown", "forget forgot", "get got"],
  ...["give gave given", "go goes went gone", "grow grew grown", "hear heard", "hold held", "keep kept"],
  ...["know knew known", "lead led", "leave left", "lose lost", "make made", "meet met", "pay paid", "ride rode"],
  ...["run ran", "say said", "see saw seen", "sell sold", "send sent", "sing sang sung", "sit sat", "sleep slept"],
  ...["speak spoke spoken", "spend spent", "stand stood", "swim swam", "take took taken", "teach taught"],
  ...["tell told", "think thought", "understand understood", "wear wore worn", "win won", "write wrote written"],
  ...["child children", "foot feet", "man men", "person people", "woman women"],
];

const forms = /* @__PURE__ */ readGroups();

function readGroups(): ReadonlyMap<string, readonly string[]> {
  const words = GROUPS.map((group) => group.split(" "));
  return new Map(
    words.flatMap((group) => group.map((word) => [word, group.filter((other) => other !== word)] as const)),
  );
}

/** The other forms of a lower-case English word; none for a regular word. */
export function otherForms(word: string): readonly string[] {
  return forms.get(word) ?? NONE;
}

const NONE: readonly string[] = [];
