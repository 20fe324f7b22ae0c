// Terminals show each of these characters in two columns.
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u{3000}-\u{303e}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
const PLAIN = /^[ -~]*$/;

/** The number of columns that a text takes in a terminal. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** The text in exactly this number of columns: cut with an ellipsis at its end, or padded with spaces. */
export function fitWidth(text: string, columns: number, align: "left" | "right" = "left"): string {
  const cut = cutToWidth(text, columns);
  const padding = " ".repeat(Math.max(0, columns - displayWidth(cut)));
  return align === "left" ? `${cut}${padding}` : `${padding}${cut}`;
}

/** The text in at most this number of columns, cut with an ellipsis at its end. */
export function cutToWidth(text: string, columns: number): string {
  // The text may be as long as a file: more characters than these cannot fit.
  const start = text.slice(0, 4 * columns + 4);
  if (start.length === text.length && displayWidth(text) <= columns) return text;
  const kept = widestStart([...start], columns - 1).join("");
  return columns < 1 ? "" : `${kept.trimEnd()}…`;
}

/** The text in at most this number of columns, cut in its middle: of a path or a command, both ends matter. */
export function cutMiddle(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const characters = [...text];
  const head = widestStart(characters, Math.ceil((columns - 1) / 2));
  const tail = widestStart(characters.toReversed(), Math.floor((columns - 1) / 2));
  return columns < 1 ? "" : `${head.join("")}…${tail.toReversed().join("")}`;
}

function widestStart(characters: readonly string[], columns: number): readonly string[] {
  let width = 0;
  const end = characters.findIndex((character) => {
    width += characterWidth(character);
    return width > columns;
  });
  return end < 0 ? characters : characters.slice(0, end);
}
