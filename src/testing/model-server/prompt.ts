import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { isJsonObject, itemsOf, type JsonObject } from "./json.ts";

/** A piece of the prompt that caches keep or lose as a whole. */
export interface PromptBlock {
  /** Who says it; "tools" and "system" for what stands before the messages. */
  readonly role: string;
  /** Whether a message starts here. */
  readonly opensMessage: boolean;
  readonly content: unknown;
  /** o200k tokens of its text; media count nothing. */
  readonly tokens: number;
  /** Whether it carries a `cache_control` mark. */
  readonly isMarked: boolean;
}

const TOOL_FIELDS = ["tools", "functions"] as const;
const SYSTEM_FIELDS = ["system", "systemInstruction", "system_instruction", "instructions"] as const;
const MESSAGE_FIELDS = ["messages", "contents", "input"] as const;

/** Fields whose strings steer the protocol or carry media, and are no text. */
const NOT_TEXT: ReadonlySet<string> = new Set(
  `type role id tool_use_id tool_call_id call_id cache_control signature thoughtSignature encrypted_content media_type mimeType data
  url image_url file_data file_id fileUri status model internal_chat_message_metadata_passthrough`.split(/\s+/),
);

/** Fields with objects of the user's own making: the keys of these are text too, and may have any name. */
const COUNTED_AS_JSON: ReadonlySet<string> = new Set(["input", "args", "response", "tools", "functions"]);

/** What a model reads of a request, on any wire: tools, system prompt, messages. */
export function promptBlocks(body: JsonObject): readonly PromptBlock[] {
  const wrapped = body.generateContentRequest;
  const blocks = [...ownBlocks(body), ...(isJsonObject(wrapped) ? ownBlocks(wrapped) : [])];
  const last = blocks.at(-1);
  // a mark on the request itself stands for one on its last block
  if (last === undefined || !isJsonObject(body.cache_control)) return blocks;
  return [...blocks.slice(0, -1), { ...last, isMarked: true }];
}

/** The tokens of all text in system prompt, tools and messages. */
export function countPromptTokens(blocks: readonly PromptBlock[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

function* ownBlocks(body: JsonObject): Generator<PromptBlock> {
  for (const field of TOOL_FIELDS) {
    for (const tool of itemsOf(body[field])) yield blockOf(tool, { role: "tools", opensMessage: true, key: field });
  }
  for (const field of SYSTEM_FIELDS) {
    const system = body[field];
    if (system !== undefined) yield* messageBlocks(isJsonObject(system) ? system : { content: system }, "system");
  }
  for (const field of MESSAGE_FIELDS) {
    const messages = body[field];
    if (typeof messages === "string") yield* messageBlocks({ content: messages }, "user");
    for (const message of itemsOf(messages)) if (isJsonObject(message)) yield* messageBlocks(message, "user");
  }
}

/** Each part of the content, then what else the message carries, such as its calls. */
function* messageBlocks(message: JsonObject, defaultRole: string): Generator<PromptBlock> {
  const { role, content, parts, ...rest } = message;
  const isItem = role === undefined && message.type !== undefined;
  const speaker = typeof role === "string" ? role : isItem ? "item" : defaultRole;
  const { type, ...others } = rest;
  const said = isItem ? [] : [...contentOf(content), ...contentOf(parts)];
  const extra = isItem ? message : type === undefined || type === "message" ? others : rest;
  const pieces = Object.keys(extra).length > 0 ? [...said, extra] : said;
  for (const [index, piece] of pieces.entries()) {
    yield blockOf(piece, { role: speaker, opensMessage: index === 0, key: "messages" });
  }
}

function contentOf(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [content] : itemsOf(content);
}

/**
 * A request repeats nearly all of the one before it, and counting tokens is most of the server's work: counts are cached, for
 * texts of this many characters in all.
 */
const MAX_CACHED_CHARACTERS = 16_000_000;
const cachedCounts = new Map<string, number>();
let cachedCharacters = 0;

function countCached(text: string): number {
  const known = cachedCounts.get(text);
  if (known !== undefined) return known;
  const tokens = countTextTokens(text);
  if (cachedCharacters + text.length > MAX_CACHED_CHARACTERS) {
    cachedCounts.clear();
    cachedCharacters = 0;
  }
  cachedCounts.set(text, tokens);
  cachedCharacters += text.length;
  return tokens;
}

interface Place {
  readonly role: string;
  readonly opensMessage: boolean;
  readonly key: string;
}

function blockOf(marked: unknown, { role, opensMessage, key }: Place): PromptBlock {
  const content = withoutMark(marked);
  let tokens = 0;
  for (const text of textsOf(content, key)) tokens += countCached(text);
  return { role, opensMessage, content, tokens, isMarked: isMarked(marked) };
}

function* textsOf(value: unknown, key: string): Generator<string> {
  if (NOT_TEXT.has(key)) return;
  if (typeof value === "string") yield value;
  else if (COUNTED_AS_JSON.has(key) && value !== undefined) yield JSON.stringify(value);
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item, key);
  else if (isJsonObject(value)) for (const [field, inner] of Object.entries(value)) yield* textsOf(inner, field);
}

/** The block without its marks; a tool's result may have them on its own blocks. */
function withoutMark(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { cache_control: _, ...block } = value;
  return Array.isArray(block.content) ? { ...block, content: block.content.map(withoutMark) } : block;
}

function isMarked(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return isJsonObject(value.cache_control) || itemsOf(value.content).some(isMarked);
}
