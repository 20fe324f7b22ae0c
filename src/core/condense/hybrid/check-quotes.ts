const WHITE_SPACE = /\s+/g;
/** Backticks enclose code, whose quotation marks are its own. */
const QUOTE = /`[^`]{0,400}`|"([^"]{0,400})"|“([^”]{0,400})”/g;
const FENCE = /^\s{0,12}(?:```|~~~)/;
/** Shorter quotes are names, which occur everywhere, and are not checked. */
const LEAST_CHARACTERS = 8;
/** Marks that a model writes where it leaves something out of a quote. */
const LEFT_OUT = /\[?(?:…|\.\.\.)\]?/;
const EDGE = /^[\s.,;:!?]{1,8}|[\s.,;:!?]{1,8}$/g;

/**
 * Removes the quotation marks around text that is in no source, so that quotes that remain can be trusted. White space, and punctuation at the ends of
 * a quote, may differ; code is left as it is.
 */
export function checkQuotes(text: string, sources: readonly string[]): string {
  let isCode = false;
  let flatSources: readonly string[] | undefined;
  const isInSource = (quote: string) => {
    flatSources ??= sources.map(flatten);
    return flatSources.some((source) => holdsAll(source, quote));
  };
  return text
    .split("\n")
    .map((line) => {
      if (FENCE.test(line)) isCode = !isCode;
      if (isCode) return line;
      return line.replace(QUOTE, (whole, straight?: string, curly?: string) => {
        const quote = straight ?? curly;
        return quote === undefined || quote.length < LEAST_CHARACTERS || isInSource(quote) ? whole : quote;
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

/** Unifies apostrophes, white space and case: models tidy up what they copy. */
function flatten(text: string): string {
  return text.replace(WHITE_SPACE, " ").replaceAll("’", "'").toLowerCase();
}
