import { sliceFields, sliceItems } from "../../../core/json/json-slices.ts";
import { tryParseJson } from "../../../core/json/parse-json.ts";
import { asArray, asName, asText, fieldAt, isRecord, type JsonRecord } from "../../../core/json/read-json.ts";
import { RECALL_TOOL_NAME } from "../../../core/recall/tool-definition.ts";

/** A block of a reply as it is sent back: the same bytes as far as they came in one piece. */
export interface ReplyBlock {
  readonly value: JsonRecord;
  readonly json: string;
}

export function isRecallCall({ value }: Pick<ReplyBlock, "value">): boolean {
  return value.type === "tool_use" && value.name === RECALL_TOOL_NAME;
}

/** The blocks of a whole reply. */
export function blocksOfDocument(text: string): readonly ReplyBlock[] {
  const content = sliceFields(text)?.get("content");
  const slices = content === undefined ? [] : (sliceItems(text, content.start) ?? []);
  return slices.flatMap(({ start, end }) => {
    const json = text.slice(start, end);
    const value = tryParseJson(json);
    return isRecord(value) ? [{ value, json }] : [];
  });
}

interface OpenBlock {
  readonly block: Record<string, unknown>;
  input: string;
}

/** The blocks of a streamed reply. */
export function blocksOfEvents(events: readonly unknown[]): readonly ReplyBlock[] {
  const open = new Map<unknown, OpenBlock>();
  for (const event of events) {
    const index = fieldAt(event, "index");
    const started = fieldAt(event, "content_block");
    if (fieldAt(event, "type") === "content_block_start" && isRecord(started)) {
      open.set(index, { block: { ...started }, input: "" });
    }
    const block = open.get(index);
    const delta = fieldAt(event, "delta");
    if (fieldAt(event, "type") === "content_block_delta" && block !== undefined && isRecord(delta))
      addDelta(block, delta);
  }
  return [...open.values()].map(closeBlock);
}

/** What a delta brings is said by its fields: text, thinking and signature grow, citations are listed. */
function addDelta(open: OpenBlock, { type: _, partial_json: json, citation, ...grown }: JsonRecord): void {
  if (typeof json === "string") open.input += json;
  if (citation !== undefined) open.block.citations = [...asArray(open.block.citations), citation];
  for (const [name, piece] of Object.entries(grown)) {
    if (typeof piece !== "string") continue;
    open.block[name] = `${asText(open.block[name]) ?? ""}${piece}`;
  }
}

/** Arguments are kept as they were streamed: a number in them may have more digits than we can hold. */
function closeBlock({ block, input }: OpenBlock): ReplyBlock {
  const parsed = input === "" ? undefined : tryParseJson(input);
  if (!isRecord(parsed)) return { value: block, json: JSON.stringify(block) };
  const { input: _, ...rest } = block;
  return { value: { ...rest, input: parsed }, json: `${JSON.stringify(rest).slice(0, -1)},"input":${input}}` };
}

/** Empty texts are refused when they are sent back. */
export function writeTurn(blocks: readonly ReplyBlock[]): readonly string[] {
  const kept = blocks.filter(({ value }) => value.type !== "text" || (asText(value.text) ?? "").trim() !== "");
  return kept.length === 0 ? [] : [`{"role":"assistant","content":[${kept.map(({ json }) => json).join(",")}]}`];
}

export function callOf({ value }: ReplyBlock): { readonly id: string; readonly input: unknown } {
  return { id: asName(value.id) ?? "", input: value.input };
}
