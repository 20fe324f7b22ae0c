/** Made-up text of several kinds: the same for the same length and seed, varied enough to keep caches honest. */

const STEMS =
  "account act add agree answer appear apply arrive ask balance bend board borrow bottle branch break bridge bright build burn button cable call camera carry castle catch chance change charge choose circle claim clear climb close cloud coast cold collect color compare cook copper corner count cover cross dance danger decide deliver design direct distant divide draw dream drift drive earn east edge effort engine enjoy enter equal event exact expect explain fair farm fast fence field fill final find finish flag float floor flow fold follow forest form frame fresh garden gather gentle glass grant green grow guard guess harbor heavy hidden hold honest hope house hurry idea island join journey judge jump keep kind kitchen ladder lake large learn leave length letter level lift light list listen load local long loud machine main make map mark market match matter measure meet mend metal middle mind mirror model moment morning mountain move narrow nature near need noise north notice number object ocean offer open order paint paper pardon pass patch path pattern pause people perfect picture piece place plain plan plant plate play point polite port pour power press price print prove pull push quick quiet race rain reach read ready reason record remain repair repeat reply report rest return rich ring river road roll round rule safe sail scale school search season second seem sell send sense serve settle shape share sharp shelter ship shore short show signal silver simple single slow smooth soft sound south space speak special spell spend spring square stable stand start state steady stone stop store storm story strange stream street strong sudden sugar supply sweet table talk target teach temper thank thick thing think thread tide tool touch tower track trade train travel trust turn uncle value valley view visit voice wait walk wall warm watch water wave weather west wheel whisper white wide wind window winter wonder wood work world write yellow young".split(
    " ",
  );
const SMALL_WORDS =
  "the of and to a in that it is was for on with as at by from but not or be this which had have they you were her she he we all one would there what so if when can more no out up them then some into could only its new".split(
    " ",
  );
const ENDINGS = ["", "", "", "s", "ed", "ing", "er", "ly", "ness", "able", "ful", "less"];
const BEGINNINGS = ["un", "re", "over", "out", "mis"];
const SYLLABLES = "ba den dor el fin gar hal in jor ka lin mor na os pel quin ra sta tor ul ven wyn xa yor zel".split(
  " ",
);
const IDEOGRAPHS =
  "天地人大小上下中前后左右东西南北日月年时分今明春夏秋冬山水火木金土石风云雨雪花草树鸟鱼马牛羊手足目耳口心言文字书画音乐学校先生友家国城市道路车船飞行来去出入开关见闻思想知识语词问答长短高低新旧多少轻重快慢好坏真假有无是非可能必须因此所以但如果然而已经正在将会把被让给对于关系方法系统数据模型计算程序代码网络安全测试结果错误处理请求返回内容文件消息历史窗口记忆压缩摘要";
const KANA =
  "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんアイウエオカキクコサシスタテトナニノハフマミムメモラリルレロン";

type Random = () => number;
type Pick = <Item>(items: ArrayLike<Item>) => Item;

interface Dice {
  readonly random: Random;
  readonly pick: Pick;
  readonly upTo: (limit: number) => number;
}

function createDice(seed: number): Dice {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (limit: number) => Math.floor(random() * limit);
  const pick: Pick = (items) => {
    const item = items[upTo(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  return { random, pick, upTo };
}

/** Joins what `write` makes until there are `characters` of it. */
function fill(characters: number, seed: number, write: (dice: Dice) => string): string {
  const dice = createDice(seed);
  let text = "";
  while (text.length < characters) text += write(dice);
  return text.slice(0, characters);
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Early stems come up more often, as in real text. */
function stem({ random }: Dice): string {
  return STEMS[Math.floor(random() ** 2 * STEMS.length)] ?? "word";
}

function word(dice: Dice): string {
  const chance = dice.random();
  if (chance < 0.45) return dice.pick(SMALL_WORDS);
  if (chance < 0.9) return `${stem(dice)}${dice.pick(ENDINGS)}`;
  if (chance < 0.97) return `${dice.pick(BEGINNINGS)}${stem(dice)}${dice.pick(ENDINGS)}`;
  return capitalize(Array.from({ length: 2 + dice.upTo(3) }, () => dice.pick(SYLLABLES)).join(""));
}

function sentence(dice: Dice): string {
  let text = capitalize(word(dice));
  for (let words = 4 + dice.upTo(18); words > 0; words--) {
    text += dice.random() < 0.1 ? dice.pick([", ", "; ", " – ", ", and "]) : " ";
    text += dice.random() < 0.02 ? String(dice.upTo(3_000)) : word(dice);
    if (dice.random() < 0.02) text += dice.pick(["'s", "n't", "’s", "'ll"]);
  }
  return `${text}${dice.pick([".", ".", ".", "?", "!", ":"])}${dice.random() < 0.15 ? "\n\n" : " "}`;
}

/** English prose: some ten thousand distinct words, names, numbers, paragraphs. */
export function proseCorpus(characters: number, seed = 1): string {
  return fill(characters, seed, sentence);
}

function identifier(dice: Dice): string {
  return `${stem(dice)}${capitalize(stem(dice))}${dice.random() < 0.3 ? capitalize(stem(dice)) : ""}`;
}

function expression(dice: Dice): string {
  switch (dice.upTo(6)) {
    case 0:
      return `${identifier(dice)}(${identifier(dice)}, { ${stem(dice)}: ${dice.upTo(10_000)} })`;
    case 1:
      return `${stem(dice)}.${identifier(dice)} ?? "${stem(dice)}-${stem(dice)}"`;
    case 2:
      return `${identifier(dice)}.filter((${stem(dice)}) => ${stem(dice)}.${stem(dice)} !== ${dice.upTo(100)})`;
    case 3:
      return `\`\${${identifier(dice)}}/${stem(dice)}/\${${stem(dice)}.${stem(dice)}}\``;
    case 4:
      return `await ${stem(dice)}.${identifier(dice)}("${stem(dice)}/${stem(dice)}.json")`;
    default:
      return `${identifier(dice)}[${stem(dice)}] * 0x${dice.upTo(65_536).toString(16)} + ${dice.random().toFixed(3)}`;
  }
}

function declaration(dice: Dice): string {
  const type = capitalize(identifier(dice));
  const lines = Array.from({ length: 2 + dice.upTo(6) }, () => statement(dice)).join("");
  if (dice.random() < 0.3) {
    return `export interface ${type} {\n  readonly ${identifier(dice)}: string;\n  readonly ${stem(dice)}?: number[];\n}\n\n`;
  }
  return `/** ${sentence(dice).trim()} */\nexport function ${identifier(dice)}(${stem(dice)}: ${type}): ${type}[] {\n${lines}}\n\n`;
}

function statement(dice: Dice): string {
  switch (dice.upTo(4)) {
    case 0:
      return `  if (${identifier(dice)} === undefined) {\n    throw new Error("${sentence(dice).trim()}");\n  }\n`;
    case 1:
      return `  for (const ${stem(dice)} of ${identifier(dice)}) {\n    ${expression(dice)};\n  }\n`;
    case 2:
      return `  // ${word(dice)} ${word(dice)} ${word(dice)}\n  return ${expression(dice)};\n`;
    default:
      return `  const ${identifier(dice)} = ${expression(dice)};\n`;
  }
}

/** TypeScript with some hundred thousand distinct identifiers. */
export function codeCorpus(characters: number, seed = 1): string {
  return fill(characters, seed, declaration);
}

function hexadecimal(dice: Dice, digits: number): string {
  return Array.from({ length: digits }, () => dice.upTo(16).toString(16)).join("");
}

function record(dice: Dice): object {
  return {
    id: `${hexadecimal(dice, 8)}-${hexadecimal(dice, 4)}-${hexadecimal(dice, 12)}`,
    [identifier(dice)]: dice.upTo(1_000_000),
    [`${stem(dice)}_${stem(dice)}`]: Number(dice.random().toFixed(6)),
    path: `/${stem(dice)}/${stem(dice)}/${identifier(dice)}.ts`,
    at: new Date(1.6e12 + dice.upTo(2 ** 31) * 60).toISOString(),
    message: sentence(dice).trim(),
    tags: Array.from({ length: dice.upTo(4) }, () => stem(dice)),
    nested: { ok: dice.random() < 0.5, [stem(dice)]: null, text: `line one\n\t"${word(dice)}"\\` },
  };
}

/** JSON lines, some of them indented. */
export function jsonCorpus(characters: number, seed = 1): string {
  return fill(characters, seed, (dice) => `${JSON.stringify(record(dice), null, dice.random() < 0.3 ? 2 : 0)}\n`);
}

function cjkSentence(dice: Dice): string {
  const script = dice.random() < 0.75 ? IDEOGRAPHS : KANA;
  const characters = Array.from({ length: 6 + dice.upTo(24) }, () =>
    dice.pick(dice.random() < 0.8 ? script : IDEOGRAPHS),
  );
  const hangul = String.fromCharCode(...Array.from({ length: 3 }, () => 0xac00 + dice.upTo(11_172)));
  return `${characters.join("")}${dice.random() < 0.1 ? ` ${hangul} ` : ""}${dice.pick(["，", "。", "。\n", "、", "！", "“"])}`;
}

/** Chinese, some Japanese and a little Korean, with hardly any spaces. */
export function cjkCorpus(characters: number, seed = 1): string {
  return fill(characters, seed, cjkSentence);
}

/** One unbroken run of base64. */
export function base64Corpus(characters: number, seed = 1): string {
  return fill(characters, seed, ({ upTo }) =>
    Buffer.from(Array.from({ length: 300 }, () => upTo(256))).toString("base64"),
  );
}

/** One letter, over and over; another one for another seed. */
export function oneLetterCorpus(characters: number, seed = 1): string {
  return String.fromCharCode(0x61 + (seed % 26)).repeat(characters);
}
