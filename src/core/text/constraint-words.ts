import { asciiPattern, isAscii } from "./ascii.ts";

/** Words by which people give an agent rules, in languages that put spaces between words; compared in lower case. */
const SPACED_WORDS: readonly string[] = [
  ...["must", "mustn't", "never", "always", "only", "don't", "dont", "do not"],
  ...["cannot", "can't", "shall", "should", "shouldn't"],
  ...["need to", "needs to", "have to", "has to", "required", "requires"],
  ...["forbidden", "prohibited", "ensure", "make sure"],
  ...["avoid", "without", "instead of", "important", "critical", "at least"],
  ...["at most", "no more than", "exactly", "not allowed"],
  ...["muss", "müssen", "musst", "nie", "niemals", "immer", "nur", "darf"],
  ...["dürfen", "nicht", "kein", "keine", "unbedingt"],
  ...["jamais", "toujours", "doit", "doivent", "seulement", "uniquement"],
  ...["interdit", "obligatoire", "il faut", "ne pas"],
  ...["nunca", "siempre", "debe", "deben", "debes", "solo", "sólo", "prohibido", "obligatorio", "evita", "evitar"],
  ...["sempre", "deve", "devem", "apenas", "somente", "proibido", "mai"],
  ...["devono", "soltanto", "vietato", "obbligatorio"],
  ...["nooit", "altijd", "alleen", "nigdy", "zawsze", "tylko", "musi", "asla", "her zaman", "sadece"],
  ...["никогда", "всегда", "только", "нельзя", "должен", "должна", "должно", "должны", "обязательно", "запрещено"],
];

/** Such words in languages that write words or their endings together: found anywhere in a line. */
const UNSPACED_WORDS: readonly string[] = [
  ...["必须", "必須", "不要", "禁止", "只能", "务必", "務必", "不得", "不能"],
  ...["不可", "永远", "总是", "始终", "切勿", "一定要"],
  ...["必ず", "してはいけない", "しないで", "しないこと", "だけ", "絶対", "常に", "なければならない", "ต้อง", "ห้าม"],
  ...["반드시", "절대", "항상", "금지", "하지 마", "하지 마세요"],
];

const CONSTRAINT = spacedPattern(SPACED_WORDS, `|${UNSPACED_WORDS.join("|")}`);
const ASCII_CONSTRAINT = /* @__PURE__ */ asciiPattern(spacedPattern(SPACED_WORDS.filter(isAscii)));

function spacedPattern(words: readonly string[], or = ""): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})(?![\\p{L}\\p{N}])${or}`, "u");
}

/** Whether a line states a rule for the task: what must, must not or may only be done. */
export function isConstraint(line: string): boolean {
  const said = line.toLowerCase().replaceAll("\u2019", "'");
  return (isAscii(said) ? ASCII_CONSTRAINT : CONSTRAINT).test(said);
}
