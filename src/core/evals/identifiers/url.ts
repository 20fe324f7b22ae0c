interface FoundUrl {
  readonly start: number;
  readonly end: number;
  /** Absent for a URL that is too long to be written again. */
  readonly value?: string;
}

const MAX_URL_CHARACTERS = 2_000;
const MAX_SCHEME_CHARACTERS = 20;
const MARK = "://";

/** The URL that begins in a run of a text, and may end behind the run; undefined where there is none. */
export function findUrl(text: string, runStart: number, runEnd: number): FoundUrl | undefined {
  const mark = text.slice(runStart, runEnd).indexOf(MARK);
  if (mark < 0) return undefined;
  const markAt = runStart + mark;
  const start = schemeStart(text, runStart, markAt);
  if (start === undefined) return undefined;
  const end = endOfUrl(text, markAt + MARK.length);
  const value = withoutPunctuation(text, start, end);
  if (value.length <= markAt - start + MARK.length) return undefined;
  return end - start > MAX_URL_CHARACTERS ? { start, end } : { start, end, value };
}

const MIN_SCHEME_CHARACTERS = 2;

/** The start of the scheme before `://`; undefined where there is none. */
function schemeStart(text: string, runStart: number, markAt: number): number | undefined {
  const first = Math.max(runStart, markAt - MAX_SCHEME_CHARACTERS);
  let start = markAt;
  while (start > first && /[a-z\d]/i.test(text.charAt(start - 1))) start--;
  return markAt - start >= MIN_SCHEME_CHARACTERS && /[a-z]/i.test(text.charAt(start)) ? start : undefined;
}

/** The end of a URL. A closing bracket without an opening one in the URL belongs to the text around it. */
function endOfUrl(text: string, from: number): number {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (character <= " " || character > "~" || "\"'<>`{}|\\^".includes(character)) return at;
    if (character === "(" || character === "[") open++;
    if ((character === ")" || character === "]") && --open < 0) return at;
  }
  return text.length;
}

function withoutPunctuation(text: string, start: number, urlEnd: number): string {
  let end = urlEnd;
  while (end > start && ".,;:!?*/&".includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
