// What a session holds may come from anywhere: written to a terminal as it is, it could move the cursor, change the title or
// show a line in another order than it has.
const CONTROLS = /[\p{Cc}\u{2028}\u{2029}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

/** The text with everything that steers a terminal made visible; lines and tabs stay. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(CONTROLS, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.codePointAt(0) ?? 0;
    // Unicode has a picture of each of the first controls.
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\u{fffd}";
  });
}

/** The text on one line, for a cell of a table. */
export function oneLine(text: string): string {
  return safeText(text.replace(/\s+/gu, " ").trim());
}
