import { describeValue, isPromise } from "../assert.ts";
import { PalimpsestError } from "../errors.ts";
import { isRecord } from "../json/read-json.ts";
import { type LogSegment, logSegments, SEGMENT_MESSAGES } from "./log-segments.ts";
import type { BlockFoldKind, Message } from "./message.ts";

const STRING_FIELDS = ["id", "condenseId", "condenseParent", "truncationId", "truncationParent", "compaction"];
const BOOLEAN_FIELDS = ["important", "isSummary", "isTruncationMarker", "isRetained"];
const FOLD_KINDS = { clear: true, dedupe: true, clip: true, resolve: true, notice: true } satisfies Record<
  BlockFoldKind,
  true
>;

// No provider nests results at all; without a bound, a hostile log could exhaust the stack of all code that walks them.
const MAX_NESTING = 20;

const CONTENT_ALLOWED = "a string or an array of blocks";

// Messages are immutable: each object is checked once, however often its log is processed, and so is a whole log that is frozen.
const checked = new WeakSet<object>();

/**
 * Throws unless `input` is an array of well-formed messages; says which one is not, and what is allowed.
 *
 * Blocks and fields that we do not know are fine, and so is anything that only a provider would reject (see
 * `validateView`): such logs exist, and must survive.
 * @example
 * ```ts
 * import { checkMessages } from "palimpsest";
 * const input: unknown = JSON.parse('[{ "role": "user", "content": "hello" }]');
 * checkMessages(input);
 * console.log(input[0]?.role); // user
 * ```
 */
export function checkMessages(input: unknown): asserts input is readonly Message[] {
  if (!Array.isArray(input)) {
    throw invalid("messages", input, "an array of messages");
  }
  if (checked.has(input)) return;
  if (input.length < SEGMENT_MESSAGES) checkSegment({ start: 0, messages: input, isFrozen: false });
  else for (const segment of logSegments(input)) checkSegment(segment);
  if (Object.isFrozen(input)) checked.add(input);
}

function checkSegment({ start, messages, isFrozen }: LogSegment): void {
  if (isFrozen && checked.has(messages)) return;
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index];
    if (isChecked(message)) continue;
    checkMessage(message, `messages[${start + index}]`);
    checked.add(message);
  }
  if (isFrozen) checked.add(messages);
}

/** Whether `checkMessages` has accepted this very object before. */
export function isChecked(message: unknown): message is Message {
  return isRecord(message) && checked.has(message);
}

function checkMessage(message: unknown, where: string): asserts message is object {
  if (!isRecord(message) || isPromise(message)) throw invalid(where, message, "an object with role and content");
  if (message.role !== "user" && message.role !== "assistant") {
    throw invalid(`${where}.role`, message.role, '"user" or "assistant"', foreignMessageAdvice(message));
  }
  const content = message.content;
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw invalid(`${where}.content`, content, CONTENT_ALLOWED, foreignMessageAdvice(message));
  }
  if (typeof content !== "string") checkBlocks(content, `${where}.content`);
  for (const field of STRING_FIELDS) {
    const value = message[field];
    if (value !== undefined && typeof value !== "string") throw invalid(`${where}.${field}`, value, "a string");
  }
  for (const field of BOOLEAN_FIELDS) {
    const value = message[field];
    if (value !== undefined && typeof value !== "boolean") throw invalid(`${where}.${field}`, value, "true or false");
  }
  const ts = message.ts;
  // JSON would turn NaN and Infinity into null: a log that is accepted must still be accepted when it is read back.
  if (ts !== undefined && !Number.isFinite(ts)) throw invalid(`${where}.ts`, ts, "a finite number of milliseconds");
  if (message.folds !== undefined) checkFolds(message.folds, `${where}.folds`);
}

function checkBlocks(blocks: unknown, where: string, depth = 0): void {
  if (!Array.isArray(blocks)) throw invalid(where, blocks, CONTENT_ALLOWED);
  if (depth > MAX_NESTING) throw invalid(where, blocks, `nested at most ${MAX_NESTING} levels deep`);
  for (const [index, block] of blocks.entries()) checkBlock(block, `${where}[${index}]`, depth);
}

function checkBlock(block: unknown, where: string, depth = 0): void {
  if (!isRecord(block)) throw invalid(where, block, "an object with a type");
  if (typeof block.type !== "string") throw invalid(`${where}.type`, block.type, "a string");
  const requireString = (field: string) => {
    if (typeof block[field] !== "string") throw invalid(`${where}.${field}`, block[field], "a string");
  };
  switch (block.type) {
    case "text":
    case "reasoning":
      requireString("text");
      break;
    case "image":
      if (!isRecord(block.source)) throw invalid(`${where}.source`, block.source, "an object");
      break;
    case "tool_use":
      requireString("id");
      requireString("name");
      break;
    case "tool_result":
      requireString("tool_use_id");
      if (block.content !== undefined && typeof block.content !== "string") {
        checkBlocks(block.content, `${where}.content`, depth + 1);
      }
  }
}

function checkFolds(folds: unknown, where: string): void {
  if (!Array.isArray(folds)) throw invalid(where, folds, "an array of folds");
  for (const [index, fold] of folds.entries()) {
    const at = `${where}[${index}]`;
    if (!isRecord(fold)) throw invalid(at, fold, "a fold object");
    if (typeof fold.foldId !== "string") throw invalid(`${at}.foldId`, fold.foldId, "a string");
    if (typeof fold.kind !== "string" || !Object.hasOwn(FOLD_KINDS, fold.kind)) {
      throw invalid(`${at}.kind`, fold.kind, '"clear", "dedupe", "clip", "resolve" or "notice"');
    }
    if (!Number.isInteger(fold.blockIndex)) throw invalid(`${at}.blockIndex`, fold.blockIndex, "an index into content");
    checkBlock(fold.standIn, `${at}.standIn`);
    if (!Number.isFinite(fold.hiddenTokens)) {
      throw invalid(`${at}.hiddenTokens`, fold.hiddenTokens, "a finite number of tokens");
    }
    if (fold.usedPercent !== undefined && !Number.isFinite(fold.usedPercent)) {
      throw invalid(`${at}.usedPercent`, fold.usedPercent, "a finite number");
    }
    if (fold.file !== undefined && typeof fold.file !== "string") {
      throw invalid(`${at}.file`, fold.file, "the name of a file");
    }
  }
}

function invalid(where: string, value: unknown, allowed: string, advice?: string): PalimpsestError {
  const problem = `${where} is ${describeValue(value)}; it must be ${allowed}.`;
  return new PalimpsestError("invalid-message", advice === undefined ? problem : `${problem} ${advice}`);
}

/**
 * Says how to convert a message of an SDK or a wire, which is what most programs have when they first append; undefined where its form is not
 * recognised.
 */
function foreignMessageAdvice(message: Readonly<Record<string, unknown>>): string | undefined {
  const { role, type, parts, content } = message;
  if (role === "system" || role === "developer") {
    return "Leave it out, and pass its text as the systemPrompt of engine.session(id, { systemPrompt }).";
  }
  if (typeof message.getType === "function" || typeof message._getType === "function")
    return convertBy("fromLangChain");
  if (Array.isArray(parts)) {
    const isOfUi = parts.some((part) => typeof part?.type === "string");
    return isOfUi
      ? `${convertBy("fromAiSdk")} Before it, convertToModelMessages of "ai" makes model messages of it.`
      : convertBy("fromGemini");
  }
  if (role === "tool" && Array.isArray(content)) return convertBy("fromAiSdk");
  if (role === "tool" || role === "function" || "tool_calls" in message) return convertBy("fromOpenAiChat");
  if (Array.isArray(message.choices)) return `${convertBy("fromOpenAiChat")} It takes the message of its first choice.`;
  if (message.object === "response") return `${convertBy("fromOpenAiResponses")} It takes the output of the response.`;
  if (Array.isArray(message.candidates))
    return `${convertBy("fromGemini")} It takes the content of its first candidate.`;
  if (role === undefined && typeof type === "string" && RESPONSES_ITEM.test(type))
    return convertBy("fromOpenAiResponses");
  return undefined;
}

const RESPONSES_ITEM = /^(?:message|reasoning|(?:function|custom_tool|shell|apply_patch|computer)_call(?:_output)?)$/;

function convertBy(converter: string): string {
  return `Convert it first, by ${converter} of palimpsest/messages.`;
}
