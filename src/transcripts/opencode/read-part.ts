import {
  asArray,
  asName,
  asRecord,
  asText,
  asTimeMs,
  fieldAt,
  isRecord,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import type { Block, Content } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { readAnthropicBlock } from "../../core/transcript/anthropic-messages.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import { textBlocks } from "../../core/transcript/transcript-draft.ts";

/** A part of a message as it was read. */
export type PartRead =
  | { readonly type: "block"; readonly block: Block }
  | {
      readonly type: "tool";
      readonly call: Block;
      readonly result: Block | undefined;
      readonly endTs: number | undefined;
    }
  | { readonly type: "step-start" }
  | { readonly type: "step-finish"; readonly tokens: unknown }
  | { readonly type: "nothing" }
  | { readonly type: "problem"; readonly problem: TranscriptProblem };

// Types of parts that are the agent's own bookkeeping.
const BOOKKEEPING: ReadonlySet<string> = new Set(["patch", "snapshot", "retry", "agent"]);

export function readPart(value: unknown, where: string): PartRead {
  const part = asRecord(value);
  const type = asName(part?.type);
  if (part === undefined || type === undefined)
    return { type: "problem", problem: { where, reason: "This is no part." } };
  switch (type) {
    case "text":
      return readText(part, where);
    case "reasoning":
      // The metadata holds signatures.
      return block({
        type,
        text: asText(part.text) ?? "",
        ...(isRecord(part.metadata) && { metadata: part.metadata }),
      });
    case "tool":
      return readTool(part, where);
    case "step-start":
      return { type };
    case "step-finish":
      return { type, tokens: part.tokens };
    case "file":
      return readFile(part);
    default:
      return BOOKKEEPING.has(type) ? { type: "nothing" } : block(readAnthropicBlock(withoutOwnIds(part)));
  }
}

function block(value: Block): PartRead {
  return { type: "block", block: value };
}

function withoutOwnIds({ id: _, sessionID: _session, messageID: _message, ...rest }: JsonRecord): JsonRecord {
  return rest;
}

function readText(part: JsonRecord, where: string): PartRead {
  const text = asText(part.text);
  if (text === undefined) return { type: "problem", problem: { where, reason: "This text has no text." } };
  // Shown to the person, and kept from the model.
  return part.ignored === true ? { type: "nothing" } : block({ type: "text", text });
}

function readFile(part: JsonRecord): PartRead {
  const url = asText(part.url);
  const mediaType = asText(part.mime) ?? "";
  if (mediaType.startsWith("image/") && url !== undefined) return block(imageFromUrl(url));
  // The text of such files is in a part of its own.
  if (mediaType === "text/plain" || mediaType === "application/x-directory") return { type: "nothing" };
  return block({ ...withoutOwnIds(part), type: "file" });
}

function readTool(part: JsonRecord, where: string): PartRead {
  const name = asText(part.tool);
  const state = asRecord(part.state);
  if (name === undefined || state === undefined) {
    return { type: "problem", problem: { where, reason: "This tool part has no name or no state." } };
  }
  const id = asName(part.callID) ?? asName(part.id) ?? where;
  return {
    type: "tool",
    call: { type: "tool_use", id, name, input: state.input ?? {} },
    result: readResult(state, id),
    endTs: asTimeMs(fieldAt(state, "time", "end")),
  };
}

/** The result of a call; undefined if the call is still running, or was interrupted. */
function readResult(state: JsonRecord, id: string): Block | undefined {
  if (state.status === "completed") {
    return { type: "tool_result", tool_use_id: id, content: readOutput(state) };
  }
  if (state.status !== "error") return undefined;
  return { type: "tool_result", tool_use_id: id, content: textOf(state.error), is_error: true };
}

function readOutput({ output, attachments }: JsonRecord): Content {
  const images = asArray(attachments).flatMap((attachment) => {
    const read = readFile(asRecord(attachment) ?? {});
    return read.type === "block" ? [read.block] : [];
  });
  const text = textOf(output);
  return images.length === 0 ? text : [...textBlocks(text), ...images];
}

function textOf(value: unknown): string {
  return asText(value) ?? (value === undefined || value === null ? "" : serialize(value));
}
