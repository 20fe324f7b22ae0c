import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asRecord, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { CacheBreakpoints } from "../../core/ports/wire-adapter.ts";
import { applyEdits, type Edit, type MarkedPieces, type UnmarkedPieces } from "../splice/index.ts";

/** The API refuses a request with more marks. */
const MOST_MARKS = 4;
/** The API refuses marks on thinking; blocks of unknown types may not take one either. */
const MARKABLE = new Set<unknown>(["text", "image", "document", "tool_use", "tool_result"]);

type Lifetime = "5m" | "1h";

/** A mark for the cache that the request has. */
interface AgentMark {
  /** The index of its piece, or `BEFORE_MESSAGES`. */
  readonly place: number;
  /** Undefined for a lifetime that we do not know. */
  readonly lifetime: Lifetime | undefined;
}

/** The place of marks on tools and on the system prompt. */
const BEFORE_MESSAGES = -1;

/**
 * Adds cache marks beside the agent's own, as far as the API takes more. In this order: on the newest message, on the last piece that a fold
 * changed (all before it stays the same until the next fold), at the end of the system prompt, and on the message that ended the request before.
 */
export function markForCache(unmarked: UnmarkedPieces, { promptTtl }: CacheBreakpoints): MarkedPieces {
  const { pieces, lastFolded, conversation } = unmarked;
  const marks = agentMarks(unmarked);
  const isUnknown = marks.some(({ lifetime }) => lifetime === undefined);
  let left = isUnknown ? 0 : MOST_MARKS - marks.length;
  const marked = [...pieces];
  const edits: Edit[] = [];
  const isMarked = (place: number) => marks.some((mark) => mark.place === place);
  // The API refuses a mark whose lifetime is longer than that of a mark before it.
  const lifetimeAt = (place: number, wanted: Lifetime): Lifetime =>
    marks.some((mark) => mark.place > place && mark.lifetime === "1h") ? "1h" : wanted;

  function markPiece(place: number | undefined): void {
    const piece = place === undefined ? undefined : marked[place];
    if (place === undefined || piece === undefined || left <= 0 || isMarked(place)) return;
    const text = markItem(piece.text, markText(lifetimeAt(place, "5m")));
    if (text === undefined) return;
    marked[place] = { ...piece, text };
    marks.push({ place, lifetime: lifetimeAt(place, "5m") });
    left -= 1;
  }

  const turns = turnPlaces(unmarked);
  // A mark on the request as a whole counts as one on its last block.
  if (asRecord(conversation.fields.cache_control) === undefined) markPiece(turns.at(-1));
  markPiece(lastFolded);
  if (left > 0 && !isMarked(BEFORE_MESSAGES)) {
    const headEdits = markHead(unmarked, markText(lifetimeAt(BEFORE_MESSAGES, promptTtl)));
    edits.push(...headEdits);
    left -= headEdits.length;
  }
  markPiece(turns.at(-3));
  return { pieces: marked, edits };
}

function markText(lifetime: Lifetime): string {
  const mark = lifetime === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  return `"cache_control":${JSON.stringify(mark)}`;
}

function agentMarks({ pieces, conversation: { fields, items } }: UnmarkedPieces): AgentMark[] {
  const before = [...asArray(fields.tools), ...asArray(fields.system)].flatMap((block) =>
    lifetimesIn(block).map((lifetime) => ({ place: BEFORE_MESSAGES, lifetime })),
  );
  const within = pieces.flatMap(({ item }, place) => {
    const blocks = item === undefined ? [] : asArray(fieldAt(items[item], "content"));
    return blocks.flatMap(lifetimesIn).map((lifetime) => ({ place, lifetime }));
  });
  const whole = lifetimesIn({ cache_control: fields.cache_control }).map((lifetime) => ({
    place: pieces.length,
    lifetime,
  }));
  return [...before, ...within, ...whole];
}

/** The lifetimes of the marks on a block and on the blocks within it: tool results hold blocks. */
function lifetimesIn(block: unknown): readonly (Lifetime | undefined)[] {
  const mark = asRecord(fieldAt(block, "cache_control"));
  const own = mark === undefined ? [] : [lifetimeOf(mark)];
  return [...own, ...asArray(fieldAt(block, "content")).flatMap(lifetimesIn)];
}

function lifetimeOf({ ttl = "5m" }: JsonRecord): Lifetime | undefined {
  return ttl === "5m" || ttl === "1h" ? ttl : undefined;
}

/** The indexes of the pieces that are turns of user or assistant, without system messages. */
function turnPlaces({ pieces, conversation: { items } }: UnmarkedPieces): readonly number[] {
  return pieces.flatMap(({ item }, place) => {
    return item === undefined || fieldAt(items[item], "role") !== "system" ? [place] : [];
  });
}

/** The item's text with a mark on the last block that can have one; undefined if none can. */
function markItem(text: string, mark: string): string | undefined {
  const content = sliceFields(text)?.get("content");
  const edit = content === undefined ? undefined : (markList(text, content, mark) ?? markString(text, content, mark));
  return edit && applyEdits(text, { start: 0, end: text.length }, [edit]);
}

/** The edit that marks the last block of a list that can have a mark; undefined if none can. */
function markList(text: string, list: JsonSlice, mark: string): Edit | undefined {
  const blocks = sliceItems(text, list.start) ?? [];
  const last = blocks.findLast(({ start, end }) => isMarkable(tryParseJson(text.slice(start, end))));
  return last && markObject(text, last, mark);
}

function isMarkable(block: unknown): boolean {
  const fields = asRecord(block);
  if (fields === undefined || "cache_control" in fields) return false;
  return MARKABLE.has(fields.type) && fields.text !== "";
}

/** The edit that turns a string into a marked text block; undefined if it is no string, or empty. */
function markString(text: string, { start, end }: JsonSlice, mark: string): Edit | undefined {
  const string = text.slice(start, end);
  if (!string.startsWith('"') || string === '""') return undefined;
  return { start, end, text: `[{"type":"text","text":${string},${mark}}]` };
}

function markObject(text: string, { end }: JsonSlice, mark: string): Edit | undefined {
  return text[end - 1] === "}" ? { start: end - 1, end, text: `,${mark}}` } : undefined;
}

/** The edit that marks the end of the system prompt, or else the last tool; an empty list if there is neither. */
function markHead({ slices, conversation: { fields } }: UnmarkedPieces, mark: string): readonly Edit[] {
  const { body } = slices;
  const owner: JsonSlice = { start: 0, end: body.length };
  const [system, tools] = [slices.field(owner, "system"), slices.field(owner, "tools")];
  const edit =
    (system && (typeof fields.system === "string" ? markString(body, system, mark) : markList(body, system, mark))) ??
    markTool(body, tools, mark);
  return edit === undefined ? [] : [edit];
}

function markTool(body: string, tools: JsonSlice | undefined, mark: string): Edit | undefined {
  const last = tools && sliceItems(body, tools.start)?.at(-1);
  return last && markObject(body, last, mark);
}
