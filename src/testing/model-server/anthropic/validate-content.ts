import { isJsonObject, itemsOf, type JsonObject, objectsOf, stringOf } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";

const IMAGE_TYPES: readonly unknown[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/** The tool search's references, and browser states, are newer than the documents and results that stand beside them. */
const RESULT_TYPES: ReadonlySet<unknown> = new Set(
  "text image document search_result tool_reference browser_state".split(" "),
);
const MEDIA_TYPES: ReadonlySet<unknown> = new Set(["image", "document"]);

/** Media are the user's: the model's own turns hold none. */
export function* mediaRoleFaults({ type }: JsonObject, place: string, role: unknown): Generator<Refusal> {
  if (role === "assistant" && MEDIA_TYPES.has(type)) {
    yield refuse(`${place}: '${String(type)}' blocks are not permitted within assistant turns`);
  }
}

/** An image in base64 needs a known format and bytes; one at an address is fetched over http. */
export function* imageFaults({ source }: JsonObject, place: string): Generator<Refusal> {
  if (!isJsonObject(source)) return;
  const at = `${place}.image.source`;
  if (source.type === "base64") {
    if (!IMAGE_TYPES.includes(source.media_type)) {
      yield refuse(`${at}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`);
    }
    if (!isBase64(source.data)) yield refuse(`${at}.base64: Invalid base64 data`);
  } else if (source.type === "url") {
    if (!/^https?:/i.test(stringOf(source.url)))
      yield refuse(`${at}.url.url: Input should be an address of http or https`);
  } else if (source.type !== "file") {
    yield refuse(
      `${at}: Input tag '${String(source.type)}' found using 'type' does not match any of the expected tags`,
    );
  }
}

function isBase64(data: unknown): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(stringOf(data));
}

/** A result holds blocks of few types; that of a failed call says why, in text alone. */
export function* resultContentFaults({ content, is_error: isError }: JsonObject, place: string): Generator<Refusal> {
  for (const [index, block] of itemsOf(content).entries()) {
    if (isJsonObject(block) && RESULT_TYPES.has(block.type)) continue;
    const type = isJsonObject(block) ? String(block.type) : typeof block;
    yield refuse(
      `${place}.tool_result.content.${index}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
    );
  }
  if (isError !== true) return;
  if (content === undefined || content === "" || (Array.isArray(content) && content.length === 0)) {
    yield refuse(`${place}.tool_result: content cannot be empty if \`is_error\` is true`);
  }
  if (objectsOf(content).some(({ type }) => type !== "text")) {
    yield refuse(`${place}.tool_result: all content must be type \`text\` if \`is_error\` is true`);
  }
}
