import { buildJson } from "./build-json.ts";
import { COLON, endOfString, skipSpace } from "./scan-json.ts";

/**
 * What `JSON.parse` is specified to give; throws its `SyntaxError`. The one place of `src` that calls it, for V8's parser (Node 23 to
 * 26) may give a property name that is written with an escape the name of another property: it compares the name as it is
 * written, not as it reads, with a name that the same place had in an object parsed before. Such texts are read by our own.
 */
export function parseJson(text: string): unknown {
  // Also for those: it checks the grammar, and says what is wrong in the words that everybody knows.
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
 * Whether a property name of valid JSON is written with an escape. Goes from string with escapes to string with escapes, and looks
 * what follows: most of a conversation is long texts, which are passed in a few searches.
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
