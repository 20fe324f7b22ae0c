import { asName, asRecord, asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { Content, Message } from "../../core/message/message.ts";
import { type ReadItem, readItem } from "../../messages/openai-responses/read-item.ts";
import { blocksOf } from "../../messages/shared/join-turns.ts";

/** A message, and the items that it was read from. */
export interface ItemGroup {
  readonly message: Message;
  /** For each block of the message, the index of its item in the list. */
  readonly places: readonly number[];
}

interface Draft {
  readonly type: ReadItem["type"];
  readonly contents: { readonly content: Content; readonly place: number }[];
  /** The message of the outputs of its calls, which comes right after it. */
  answers?: Draft;
}

/** Groups the SDK's items into messages: the items of one reply become one message, the outputs of its calls the next. */
export function readItems(items: readonly object[]): readonly ItemGroup[] {
  const drafts: Draft[] = [];
  const callers = new Map<string, Draft>();
  let current: Draft | undefined;
  for (const [place, item] of items.entries()) {
    const read = readItem(wireItem(asRecord(item) ?? {}), `input[${place}]`);
    const caller = read.type === "result" ? callers.get(read.callId) : undefined;
    if (caller !== undefined) {
      caller.answers ??= { type: "result", contents: [] };
      current = caller.answers;
    } else if (current === undefined || read.type === "user" || current.type !== read.type) {
      current = { type: read.type, contents: [] };
      drafts.push(current);
    }
    current.contents.push({ content: read.type === "result" ? [read.block] : read.content, place });
    if (read.type === "reply" && read.callId !== undefined) callers.set(read.callId, current);
  }
  return drafts.flatMap((draft) => [close(draft), ...(draft.answers === undefined ? [] : [close(draft.answers)])]);
}

function close({ type, contents }: Draft): ItemGroup {
  const role = type === "reply" ? "assistant" : "user";
  const [first, ...others] = contents;
  if (first !== undefined && others.length === 0 && typeof first.content === "string") {
    return { message: { role, content: first.content }, places: [first.place] };
  }
  const parts = contents.flatMap(({ content, place }) =>
    blocksOf({ role, content }).map((block) => ({ block, place })),
  );
  return {
    message: { role, content: parts.map(({ block }) => block) },
    places: parts.map(({ place }) => place),
  };
}

/**
 * An item of the SDK in the form of the Responses API, for the converter of that API. Ids, status and provider data are left out: the model does
 * not see them, and the SDK may drop them from one call to the next.
 */
function wireItem(item: JsonRecord): JsonRecord {
  const type = asName(item.type) ?? "message";
  const { id: _id, status: _status, providerData, callId, ...rest } = item;
  switch (type) {
    case "message":
      return { ...rest, type, content: wireContent(item.content) };
    case "reasoning":
      return { ...asRecord(providerData), type, summary: item.content, content: item.rawContent };
    case "function_call_result":
      return { type: "function_call_output", call_id: callId, output: wireOutput(item.output) };
    case "computer_call_result":
      return { type: "computer_call_output", call_id: callId, output: wireScreenshot(item.output) };
    case "unknown":
    case "hosted_tool_call":
    case "program":
    case "program_output":
    case "compaction":
      // Our converter does not read these: they are kept whole.
      return item;
    default:
      return { ...rest, ...(asName(callId) !== undefined && { call_id: callId }) };
  }
}

/** Parts of a message, or of a tool's output. */
function wireContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(wirePart) : content;
}

function wirePart(value: unknown): unknown {
  const part = asRecord(value);
  if (part === undefined) return value;
  const { providerData: _, promptCacheBreakpoint: __, ...rest } = part;
  if (part.type !== "input_image" && part.type !== "image") return rest;
  const url = imageUrl(part.image);
  return url === undefined ? rest : { type: "input_image", image_url: url, detail: part.detail };
}

function wireOutput(output: unknown): unknown {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return output.map(wirePart);
  const text = fieldAt(output, "type") === "text" ? asText(fieldAt(output, "text")) : undefined;
  return text ?? [wirePart(output)];
}

function wireScreenshot(output: unknown): unknown {
  const data = asName(fieldAt(output, "data"));
  return data === undefined ? output : { type: "computer_screenshot", image_url: data };
}

function imageUrl(image: unknown): string | undefined {
  const data = asName(fieldAt(image, "data"));
  const mediaType = asName(fieldAt(image, "mediaType")) ?? "image/png";
  if (data !== undefined) return data.startsWith("data:") ? data : `data:${mediaType};base64,${data}`;
  return asName(image) ?? asName(fieldAt(image, "url"));
}
