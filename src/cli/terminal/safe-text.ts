// The content of a session may come from anywhere: printed unchanged, it could move the terminal's cursor, change its title, or show
// text in another order.
const CONTROLS = /[\p{Cc}\u{2028}\u{2029}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

/** The text with control characters replaced by visible ones; newlines and tabs stay. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(CONTROLS, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.codePointAt(0) ?? 0;
    // Unicode has a symbol for each of the first 32 control characters.
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\u{fffd}";
  });
}

/** The text on one line, for a cell of a table. */
export function oneLine(text: string): string {
  return safeText(text.replace(/\s+/gu, " ").trim());
}
