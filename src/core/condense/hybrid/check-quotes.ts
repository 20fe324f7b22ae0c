const WHITE_SPACE = /\s+/g;
/** Backticks enclose code, whose quotation marks are its own. */
const QUOTE = /`[^`]{0,400}`|"([^"]{0,400})"|“([^”]{0,400})”/g;
const FENCE = /^\s{0,12}(?:```|~~~)/;
/** Shorter ones are names, and stand everywhere. */
const LEAST_CHARACTERS = 8;
/** What a model writes where it leaves something out of a quote. */
const LEFT_OUT = /\[?(?:…|\.\.\.)\]?/;
const EDGE = /^[\s.,;:!?]{1,8}|[\s.,;:!?]{1,8}$/g;

/**
 * Takes the quotation marks off what stands in no source, so that what is in them can be trusted. White space, and marks at the ends of a
 * quote, may differ; code is left as it is.
 */
export function checkQuotes(text: string, sources: readonly string[]): string {
  let isCode = false;
  let known: readonly string[] | undefined;
  const isSaid = (quote: string) => {
    known ??= sources.map(flatten);
    return known.some((source) => holdsAll(source, quote));
  };
  return text
    .split("\n")
    .map((line) => {
      if (FENCE.test(line)) isCode = !isCode;
      if (isCode) return line;
      return line.replace(QUOTE, (whole, straight?: string, curly?: string) => {
        const quote = straight ?? curly;
        return quote === undefined || quote.length < LEAST_CHARACTERS || isSaid(quote) ? whole : quote;
      });
    })
    .join("\n");
}

function holdsAll(source: string, quote: string): boolean {
  return flatten(quote)
    .split(LEFT_OUT)
    .map((piece) => piece.replace(EDGE, ""))
    .every((piece) => source.includes(piece));
}

/** One kind of apostrophe, one kind of gap, no difference of case: models tidy up what they copy. */
function flatten(text: string): string {
  return text.replace(WHITE_SPACE, " ").replaceAll("’", "'").toLowerCase();
}
