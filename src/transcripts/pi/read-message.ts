import { asArray, asName, asNumber, asRecord, asText, asTokens, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { MessageEntry, RequestUsage } from "../../core/transcript/assemble-transcript.ts";
import { type MessageStamp, stamped } from "../../core/transcript/transcript-draft.ts";

/** Reads a message of the file; undefined for one that the model never sees. */
export function readMessage(message: JsonRecord, stamp: MessageStamp): MessageEntry | undefined {
  const user = (content: Content): MessageEntry => ({ type: "message", message: stamped("user", content, stamp) });
  switch (message.role) {
    case "user":
    case "custom":
    case "hookMessage":
      return user(readContent(message.content));
    case "assistant": {
      const reply: Message = stamped("assistant", readContent(message.content), stamp);
      return { type: "message", message: reply, usage: readUsage(message.usage) };
    }
    case "toolResult":
      return user([readResult(message)]);
    case "bashExecution":
      // A command that the person ran.
      return message.excludeFromContext === true ? undefined : user(executionText(message));
    default:
      return undefined;
  }
}

export function readContent(content: unknown): Content {
  return typeof content === "string" ? content : asArray(content).map(readBlock);
}

function readBlock(value: unknown): Block {
  const block = asRecord(value);
  if (block === undefined) return { type: "text", text: asText(value) ?? serialize(value) };
  const { type: _, ...rest } = block;
  switch (block.type) {
    case "text":
      return asText(block.text) === undefined ? asJson(block) : { ...block, type: "text" };
    case "thinking": {
      const { thinking, ...fields } = rest;
      return { ...fields, type: "reasoning", text: asText(thinking) ?? "" };
    }
    case "toolCall": {
      const { id, name, arguments: input, ...fields } = rest;
      const isWhole = asName(id) !== undefined && asName(name) !== undefined;
      return isWhole ? { ...fields, type: "tool_use", id, name, input: input ?? {} } : asJson(block);
    }
    case "image": {
      const [data, media_type] = [asText(block.data), asText(block.mimeType)];
      if (data === undefined || media_type === undefined) return asJson(block);
      return { type: "image", source: { type: "base64", media_type, data } };
    }
    default:
      return asJson(block);
  }
}

function asJson(block: JsonRecord): Block {
  return { type: "text", text: serialize(block) };
}

function readResult({ toolCallId, content, isError }: JsonRecord): Block {
  return {
    type: "tool_result",
    tool_use_id: asText(toolCallId) ?? "",
    content: readContent(content),
    ...(isError === true && { is_error: true }),
  };
}

function executionText({ command, output, exitCode }: JsonRecord): string {
  const code = asNumber(exitCode);
  const ending = code === undefined || code === 0 ? [] : [`(exit code ${code})`];
  return [`$ ${asText(command) ?? ""}`, asText(output) ?? "", ...ending].join("\n");
}

function readUsage(value: unknown): RequestUsage | undefined {
  const usage = asRecord(value);
  return (
    usage && {
      inputTokens: asTokens(usage.input),
      outputTokens: asTokens(usage.output),
      cacheReadTokens: asTokens(usage.cacheRead),
      cacheWriteTokens: asTokens(usage.cacheWrite),
    }
  );
}
