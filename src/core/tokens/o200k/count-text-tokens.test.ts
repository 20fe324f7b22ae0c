import fc from "fast-check";
import { get_encoding } from "tiktoken";
import { afterAll, describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../../test/support/cpu-time.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { countTextTokens } from "./count-text-tokens.ts";

const oracle = get_encoding("o200k_base");
const expectedTokens = (text: string) => oracle.encode(text, [], []).length;
afterAll(() => oracle.free());

describe("agrees with tiktoken on", () => {
  const traps: Readonly<Record<string, readonly string[]>> = {
    "nothing at all": [""],
    "contractions in every case": [
      "it's don't we're they've I'm she'll he'd",
      "IT'S DON'T WE'RE THEY'VE I'M SHE'LL HE'D",
      "it'S don'T we'Re we'rE they'Ve I'M she'lL he'D",
      "it'ſ don'ſt 'ſ ſ's IT'ſ",
      "'s 't're''ve'm'll'd 'x 'l 'r 'v 'la 'rx",
      "a'sb a'sB A'sb 1's 's1 !'s 中's ー's \u0301's",
      "it’s don’t x'S' y'll'd 've've",
      "l'avion d'été aujourd'hui rock'n'roll o'clock",
    ],
    "the spelling of special tokens": [
      "<|endoftext|>",
      "a<|endofprompt|>b",
      "<|endoftext|><|im_start|> <|fim_prefix|>",
    ],
    "what is whitespace and what is not": [
      "\ufeffhello \ufeff hello\ufeff",
      "a\u0085b \u0085\u0085 \u0085\n\u0085",
      "a\u00a0b\u3000c\u2003d\u2028e\u2029f\u1680g\u202fh\u205fi",
      "a\u200bb\u200cc\u200dd\u2060e\u180ef",
      "\u001c\u001d\u001e\u001f\v\f",
      "\u3000\u3000中 \u3000! \u3000\n\u3000",
    ],
    "mixed line ends": [
      "a\r\nb\n\rc\r\r\nd\n\n\n\re",
      " \n  \n   \n",
      "\t\n \t\r\n  x",
      "!\n\n?\r\n/\n//\r\n/ \n",
      "\n \n\ta\n\n  b\n\n\n   ",
      "//\n///\n/*\n*/\r\n",
      "\r",
      "\n",
      "\r\n\r",
    ],
    "leading and trailing blanks": [
      " a",
      "  a",
      "   a",
      "\ta",
      " \ta",
      "\t a",
      " ",
      "  ",
      "a ",
      "a  ",
      "  !",
      " \t!",
      "   1",
      "\t1",
      " \u00a0!",
      "a   \u00a0  b",
    ],
    "runs of digits": [
      "1",
      "12",
      "123",
      "1234",
      "12345",
      "1234567",
      " 1 12 123",
      "1.5e10",
      "½⅓²³ⅷ٣٤٥१२३४𝟘𝟙𝟚𝟛",
      "1a23b456c7890",
    ],
    "letters of both cases": [
      "camelCase PascalCase SCREAMING_CASE snake_case kebab-case",
      "HTMLElement getURLForHTTPRequest iOS McDonald ABCdef ABc aBC",
      "ǅungla ǅǅ ǆǅǄ ßẞ ŐőÖö ΑΒΓαβγ АБВабв",
    ],
    "letters without case, modifiers and marks": [
      "中文ABC中文abc日本語Tokyo東京",
      "AʰBʰ ʰA ʰa Aʰb ªº ºC ºc Cº 中A中A中a",
      "e\u0301 E\u0301 \u0301e \u0301E \u0301\u0301 !\u0301 !!\u0301!! \u0301! 1\u0301 \u03011",
      "A\u0301B\u0301C a\u0301b\u0301c \u0301AB \u0301ab \u0301A中B",
      " \u0301 \n\u0301\n \u0301\u0301AB'S \u0301's !\u0301's",
      "亚洲AV亚洲AVa a亚洲AV 亚洲AV1",
    ],
    "scripts of the world": [
      "안녕하세요 세계 \u1112\u1161\u11ab",
      "สวัสดีชาวโลก ภาษาไทย",
      "नमस्ते दुनिया क्षत्रिय",
      "مرحبا بالعالم اَلْعَرَبِيَّةُ",
      "שלום עולם שָׁלוֹם",
      "Здравствуй, мир! Γειά σου Κόσμε",
      "こんにちは、世界。ｶﾀｶﾅ　全角ＡＢＣ１２３",
      "தமிழ் ភាសាខ្មែរ မြန်မာ བོད་ አማርኛ",
    ],
    "emoji and other pictures": ["👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 ❤️‍🔥 1️⃣", "😀😀😀 a😀b 😀a 😀1 😀\n😀", "→ ← ≠ ∑ ∞ © ™ € 𝄞"],
    "letters and digits outside the basic plane": ["𝒜𝓁𝑔 𐐀𐐨 𠀀𠀁a 𞤀𞤢 𝟙𝟚𝟛𝟜", "a𝒜b𝓁c", "𐐀𐐀's 𐐨'S"],
    "lone surrogates": ["\ud800", "\udc00", "a\ud800b", "\ud800\ud800\udc00\udc00", "\ud83d 😀 \ude00", "\ud800's"],
    "control characters": [
      "\0",
      "a\0b",
      "\0\0\0",
      "a\0",
      "\u0001\u0002\u007f\u0080\u009f",
      "\u001b[31mred\u001b[0m",
      "\0 \0\n",
    ],
    "punctuation and slashes": [
      "!!!",
      " !!!",
      "a!b",
      "!a",
      "!!a",
      "...///\n/\n/",
      "http://a.b/c?d=e&f#g",
      '{"a":[1,2,{"b":null}]}',
      "a_b__c",
      "$x->y['z']",
    ],
  };

  for (const [name, texts] of Object.entries(traps)) {
    test.each(texts)(`${name}: %j`, (text) => {
      expect(countTextTokens(text)).toBe(expectedTokens(text));
    });
  }

  test("random mixtures, of ill-formed text and special tokens too", () => {
    const runs = propertyRuns(30_000);
    let illFormedTexts = 0;
    let specialTexts = 0;
    fc.assert(
      fc.property(mixture(), (text) => {
        if (/\p{Surrogate}/u.test(text)) illFormedTexts++;
        if (text.includes("<|endoftext|>")) specialTexts++;
        return countTextTokens(text) === expectedTokens(text);
      }),
      runs,
    );
    expect(illFormedTexts).toBeGreaterThan(runs.numRuns / 4);
    expect(specialTexts).toBeGreaterThan(runs.numRuns / 40);
  });

  test("random runs of characters that have long tokens", () => {
    const run = fc
      .tuple(fc.constantFrom(..." -=_*#./\t\n\u00a0aAhe0"), fc.integer({ min: 1, max: 150 }))
      .map(([character, length]) => character.repeat(length));
    const runs = fc.array(run, { maxLength: 4 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(runs, (text) => countTextTokens(text) === expectedTokens(text)),
      propertyRuns(3_000),
    );
  });
});

function mixture(): fc.Arbitrary<string> {
  const boundary = fc.constantFrom(..." \n\r\t'/sSlL\u017f\u0085\u00a0\u3000\ufeff\u0301ʰªǅ中aAzZ09½!-.<|>\0😀𝒜𝟙");
  const words =
    " the|ing|HTTP|Request|don't|WE'LL|  |\r\n|\n\n|://|----|====|   \t|亚洲|AV|日本語|สวัส|नम|\u0301\u0301|0000|👩‍👧";
  const specials =
    "<|endoftext|> <|endofprompt|> <|im_start|> <|endof <|end endoftext|> |> <| <|endoftext| |endofprompt|>";
  // fast-check makes only well-formed strings: halves of pairs, pairs the wrong way round and beside letters are ours.
  const illFormed = fc.oneof(
    fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
    fc.constantFrom("\ude00\ud83d", "a\ud800", "\udfffZ", "\ud83d\ud83d\ude00", "\ude00's", " \udbff", "\ud800\n"),
  );
  const part = fc.oneof(
    { weight: 10, arbitrary: boundary },
    { weight: 6, arbitrary: fc.constantFrom(...words.split("|")) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 2 }) },
    { weight: 2, arbitrary: illFormed },
    { weight: 2, arbitrary: fc.constantFrom(...specials.split(" ")) },
  );
  return fc.array(part, { maxLength: 24 }).map((parts) => parts.join(""));
}

describe("one unbroken piece of some kilobytes", () => {
  const syllables = ["an", "the", "er", "tion", "q", "zz", "ough", "aaaa", "x", "ment"];
  const ideographs = [..."天地玄黄宇宙洪荒的是了我"];

  /** A different choice at every step, but the same in every run. */
  function piece(parts: readonly string[], bytes: number): string {
    let text = "";
    for (let step = 1; Buffer.byteLength(text) < bytes; step++) {
      text += parts[Math.floor(Math.abs(Math.sin(step * step)) * parts.length)] ?? "";
    }
    return text;
  }

  test.each([
    ["letters", syllables, 4_090],
    ["letters", syllables, 4_096],
    ["letters", syllables, 9_000],
    ["ideographs", ideographs, 4_095],
    ["ideographs", ideographs, 9_000],
    ["dashes", ["-", "--", "---------"], 9_000],
    ["blanks", [" ", "  ", "\t", "         "], 9_000],
  ])("of %s counts as tiktoken counts it", (_, parts, bytes) => {
    const text = piece(parts, bytes);
    expect(countTextTokens(text)).toBe(expectedTokens(text));
    expect(countTextTokens(`A ${text}\n`)).toBe(expectedTokens(`A ${text}\n`));
  });
});

test("the vocabulary is decoded once, not at each count", () => {
  countTextTokens("warm");
  // decoding it each time would take minutes
  expect(cpuTimeMs(() => Array.from({ length: 5_000 }, (_, index) => countTextTokens(`${index}`)))).toBeLessThan(
    20_000,
  );
});

describe("text longer than one window", () => {
  const oneWindow = 1 << 15;

  test.each([
    ["words", "the quick brown Fox, it's 12345! "],
    ["words of other scripts", "le café, 東京タワー и ещё: "],
    ["lines", "  const value = readValue(input);\r\n\r\n"],
    ["blanks", "x          \n"],
  ])("of %s counts as a whole", (_, unit) => {
    const text = unit.repeat(Math.ceil((3 * oneWindow) / unit.length));
    expect(countTextTokens(text)).toBe(expectedTokens(text));
  });

  test("counts the same wherever the window happens to end", () => {
    for (let shift = 0; shift < 40; shift++) {
      const text = `${"ab ".repeat(oneWindow / 3 - 5)}${"x".repeat(shift)}  it's\t\tA1 😀's  \n\n ${"cd ".repeat(20)}`;
      expect(countTextTokens(text)).toBe(expectedTokens(text));
    }
  });
});
