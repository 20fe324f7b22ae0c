import { asArray, asName, asRecord, asText, asTokens, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import { type MessageStamp, stamped, textBlocks } from "../../core/transcript/transcript-draft.ts";

/** What an event adds to the conversation: nothing, for most. */
export function readEvent(type: string, data: JsonRecord, stamp: MessageStamp): readonly TranscriptEntry[] {
  switch (type) {
    case "user.message":
      // With what the program added to it: that is what the model got.
      return userEntry(textBlocks(asName(data.transformedContent) ?? asText(data.content)), stamp);
    case "system.notification":
      return userEntry(textBlocks(asText(data.content)), stamp);
    case "assistant.message":
      return [{ type: "message", message: stamped("assistant", replyBlocks(data), stamp) }];
    case "tool.execution_complete":
      return userEntry(resultBlocks(data), stamp);
    case "session.compaction_complete":
      return data.success === false ? [] : compactionEntries(data, stamp);
    default:
      return [];
  }
}

function userEntry(blocks: readonly Block[], stamp: MessageStamp): readonly TranscriptEntry[] {
  return [{ type: "message", message: stamped("user", blocks, stamp) }];
}

function replyBlocks(data: JsonRecord): readonly Block[] {
  return [
    ...reasoningBlocks(data),
    ...textBlocks(asText(data.content)),
    ...asArray(data.toolRequests).flatMap(callBlocks),
  ];
}

function reasoningBlocks({ reasoningText, reasoningOpaque, encryptedContent }: JsonRecord): readonly Block[] {
  const text = asText(reasoningText) ?? "";
  if (text === "" && reasoningOpaque === undefined && encryptedContent === undefined) return [];
  const signature = {
    ...(reasoningOpaque !== undefined && { reasoningOpaque }),
    ...(encryptedContent !== undefined && { encryptedContent }),
  };
  return [{ type: "reasoning", text, ...signature }];
}

function callBlocks(value: unknown): readonly Block[] {
  const request = asRecord(value);
  const [id, name] = [asName(request?.toolCallId), asName(request?.name)];
  if (id === undefined || name === undefined) return [];
  return [{ type: "tool_use", id, name, input: request?.arguments ?? {} }];
}

function resultBlocks(data: JsonRecord): readonly Block[] {
  const id = asName(data.toolCallId);
  if (id === undefined) return [];
  const outcome = data.success === false ? (data.error ?? data.result) : (data.result ?? data.error);
  const record = asRecord(outcome);
  const content = asText(outcome) ?? asText(record?.content) ?? asText(record?.message) ?? outcomeJson(outcome);
  return [{ type: "tool_result", tool_use_id: id, content, ...(data.success === false && { is_error: true }) }];
}

function outcomeJson(outcome: unknown): string {
  return outcome === undefined ? "" : serialize(outcome);
}

function compactionEntries(data: JsonRecord, stamp: MessageStamp): readonly TranscriptEntry[] {
  const summary = asName(data.summaryContent);
  const tokensBefore = asTokens(data.preCompactionTokens);
  return [
    { type: "compaction", ...(summary && { summary }), ...(tokensBefore > 0 && { tokensBefore }) },
    ...userEntry(textBlocks(summary), stamp),
  ];
}
