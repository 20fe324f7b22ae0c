import { buildJson } from "./build-json.ts";
import { COLON, endOfString, skipSpace } from "./scan-json.ts";

/**
 * Parses JSON as `JSON.parse` is specified to do; throws its `SyntaxError`. No other file of `src` calls `JSON.parse`, because V8's parser
 * (Node 23 to 26) may replace a property name that is written with an escape by the name of another property: it compares the name as it
 * is written, not as it reads, with a name at the same position in an object parsed before. Our own parser reads such texts.
 */
export function parseJson(text: string): unknown {
  // Called for such texts too: it checks the grammar, and its error messages are well known.
  const value: unknown = JSON.parse(text);
  return hasEscapedName(text) ? buildJson(text) : value;
}

/** The value of a JSON text; undefined where it is broken. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether a property name of valid JSON is written with an escape. Jumps from one string with escapes to the next, and tests whether a
 * colon follows: most of a conversation is long texts, which a few searches skip.
 */
function hasEscapedName(text: string): boolean {
  let backslash = text.indexOf("\\");
  while (backslash !== -1) {
    const end = endOfString(text, backslash);
    if (text.charCodeAt(skipSpace(text, end)) === COLON) return true;
    backslash = text.indexOf("\\", end);
  }
  return false;
}
