/** Characters that change the order or the look of what stands beside them: direction marks, joiners, controls. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text of others with every invisible character shown as what it is: it can neither reorder a line nor hide in one. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}⟩`);
}

/** The first characters on one line, for labels. */
export function oneLine(text: string, maxLength = 120): string {
  const start = visibleText(text.slice(0, maxLength * 2))
    .replace(/\s+/g, " ")
    .trim();
  const isCut = start.length > maxLength || text.length > maxLength * 2;
  return isCut ? `${start.slice(0, maxLength)}…` : start;
}

/** What is shown of a long text, and how much is left. */
export interface TextPart {
  readonly text: string;
  readonly leftCharacters: number;
}

/** The beginning of a text, never cut inside a character. */
export function textPart(text: string, maxLength: number): TextPart {
  if (text.length <= maxLength) return { text: visibleText(text), leftCharacters: 0 };
  const last = text.charCodeAt(maxLength - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength;
  return { text: visibleText(text.slice(0, end)), leftCharacters: text.length - end };
}
