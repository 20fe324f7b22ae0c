const QUOTE = 34;
const PUNCTUATION = new Set([..."{}[],:"].map((character) => character.charCodeAt(0)));

// No engine holds a longer string; what is longer is scanned to its end, but not kept.
const MAX_TOKEN_CHARACTERS = 2 ** 28;

/** What a scanner reports, in order. Texts of strings come as they are written, escapes and all. */
export interface JsonTokenHandler {
  /** Whether the text of the string or word that begins here is wanted. */
  keepsText(): boolean;
  punctuation(character: string): void;
  /** Undefined where the text was not wanted, or is too long to be held. */
  string(text: string | undefined): void;
  /** A number, `true`, `false`, `null`, or something that does not belong in JSON. */
  word(text: string | undefined): void;
}

/** Cuts JSON that arrives in pieces into tokens, each character looked at once. */
export interface JsonScanner {
  push(text: string): void;
  /** The text is over. Says whether it ended inside a string. */
  end(): boolean;
}

type Token = { readonly type: "string" | "word"; readonly isKept: boolean };

export function createJsonScanner(handler: JsonTokenHandler): JsonScanner {
  let token: Token | undefined;
  // The text so far ended with a backslash: the next character is no end.
  let isEscaped = false;
  let nextBackslash = -1;
  let pieces: string[] = [];
  let pieceCharacters = 0;

  const begin = (type: Token["type"]) => {
    token = { type, isKept: handler.keepsText() };
    pieces = [];
    pieceCharacters = 0;
  };
  const keep = (text: string, start: number, end: number) => {
    pieceCharacters += end - start;
    if (token?.isKept !== true || end === start) return;
    if (pieceCharacters > MAX_TOKEN_CHARACTERS) pieces = [];
    else pieces.push(text.slice(start, end));
  };
  const finish = () => {
    if (token === undefined) return;
    const text = token.isKept && pieceCharacters <= MAX_TOKEN_CHARACTERS ? pieces.join("") : undefined;
    const { type } = token;
    token = undefined;
    pieces = [];
    handler[type](text);
  };

  const scanString = (text: string, start: number): number => {
    const end = findStringEnd(text, start);
    keep(text, start, end);
    if (end === text.length) return end;
    finish();
    return end + 1;
  };
  /** Index of the closing quote, or the length of the text where it is not in it. */
  const findStringEnd = (text: string, start: number): number => {
    let position = isEscaped ? start + 1 : start;
    isEscaped = false;
    let quote = indexOf(text, '"', position);
    while (true) {
      // Looked up once for all strings before it: a search for each would run through the same text again and again.
      if (nextBackslash < position) nextBackslash = indexOf(text, "\\", position);
      if (nextBackslash >= quote) return quote;
      position = nextBackslash + 2;
      isEscaped = position > text.length;
      if (quote < position) quote = indexOf(text, '"', position);
    }
  };
  const scanWord = (text: string, start: number): number => {
    let position = start;
    while (position < text.length && !endsWord(text.charCodeAt(position))) position++;
    keep(text, start, position);
    if (position < text.length) finish();
    return position;
  };
  const scanBetween = (text: string, position: number): number => {
    const code = text.charCodeAt(position);
    if (isSpace(code)) return position + 1;
    if (PUNCTUATION.has(code)) {
      handler.punctuation(text.charAt(position));
      return position + 1;
    }
    begin(code === QUOTE ? "string" : "word");
    return code === QUOTE ? position + 1 : position;
  };

  return {
    push(text) {
      let position = 0;
      nextBackslash = -1;
      while (position < text.length) {
        if (token === undefined) position = scanBetween(text, position);
        else position = token.type === "string" ? scanString(text, position) : scanWord(text, position);
      }
    },
    end() {
      const isInString = token?.type === "string";
      // A word has no closing character: the end of the text is where it ends.
      if (token?.type === "word") finish();
      return isInString;
    },
  };
}

function indexOf(text: string, character: string, start: number): number {
  const index = text.indexOf(character, start);
  return index < 0 ? text.length : index;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function endsWord(code: number): boolean {
  return isSpace(code) || code === QUOTE || PUNCTUATION.has(code);
}
