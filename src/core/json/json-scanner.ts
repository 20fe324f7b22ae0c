const QUOTE = 34;
const PUNCTUATION = new Set([..."{}[],:"].map((character) => character.charCodeAt(0)));

// No JavaScript engine holds a longer string; longer tokens are scanned to their end, but their text is dropped.
const MAX_TOKEN_CHARACTERS = 2 ** 28;

/** Receives the tokens of a scanner, in order. The texts of strings are given as they are written, with their escapes. */
export interface JsonTokenHandler {
  /** Whether the text of the string or word that begins here is wanted. */
  keepsText(): boolean;
  punctuation(character: string): void;
  /** Called with undefined where the text was not wanted, or is too long for a string. */
  string(text: string | undefined): void;
  /** Called for a number, `true`, `false`, `null`, or anything that does not belong in JSON. */
  word(text: string | undefined): void;
}

/** Splits JSON that arrives in pieces into tokens, reading each character once. */
export interface JsonScanner {
  push(text: string): void;
  /** Ends the text. Returns whether it ended inside a string. */
  end(): boolean;
}

type Token = { readonly type: "string" | "word"; readonly isKept: boolean };

export function createJsonScanner(handler: JsonTokenHandler): JsonScanner {
  let token: Token | undefined;
  // Whether the last piece ended with a backslash: the next character is escaped and closes nothing.
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
  /** The index of the closing quote, or the length of the text where it has none. */
  const findStringEnd = (text: string, start: number): number => {
    let position = isEscaped ? start + 1 : start;
    isEscaped = false;
    let quote = indexOf(text, '"', position);
    while (true) {
      // The next backslash is kept for all strings before it: a search for each string would read the same text again and again.
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
      // A word has no closing character: it may end with the text.
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
