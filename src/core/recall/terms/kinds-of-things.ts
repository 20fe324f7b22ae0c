/**
 * Kinds of everyday things, and things of that kind: a question has `instrument`, the answer `cello`. Only a kind in a query brings its things along, as
 * who asks for a cello does not mean a flute. Of things with several meanings, only those are listed that mostly mean this one.
 */
const KINDS: Readonly<Record<string, string>> = {
  vegetable: "carrot potato tomato onion cabbage aubergine",
  fruit: "apple banana orange strawberry cherry",
  drink: "coffee tea wine beer",
  animal: "dog cat horse rabbit bird cow hen",
  insect: "bee wasp ant spider",
  instrument: "piano guitar violin cello accordion drum",
  sport: "football tennis swimming running climbing yoga",
  hobby: "painting pottery knitting fishing",
  joint: "knee ankle hip shoulder elbow wrist",
  relative: "aunt uncle cousin niece nephew",
  profession: "teacher nurse engineer lawyer chef",
};

const members: ReadonlyMap<string, readonly string[]> = /* @__PURE__ */ readKinds();

function readKinds(): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(KINDS).map(([kind, things]) => [kind, things.split(" ")]));
}

/** The things of a kind that a lower-case English word names, in its singular or plural; none for most words. */
export function thingsOfKind(word: string): readonly string[] {
  return members.get(word) ?? members.get(word.replace(/s$/, "")) ?? NONE;
}

const NONE: readonly string[] = [];
