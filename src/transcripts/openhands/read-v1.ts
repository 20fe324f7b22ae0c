import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asName, asRecord, asText, asTimeMs, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import { type MessageStamp, textBlocks } from "../../core/transcript/transcript-draft.ts";
import { createEventLog, type EventLog, type ReadEvents } from "./event-log.ts";

/** Reads the events of the OpenHands software agent SDK. */
export function readV1(events: readonly unknown[], where: string): ReadEvents {
  const problems: TranscriptProblem[] = [];
  const log = createEventLog();
  let systemPrompt: string | undefined;
  for (const [index, value] of events.entries()) {
    const event = asRecord(value);
    if (event === undefined || asName(event.kind) === undefined) {
      problems.push({ where: `${where}[${index}]`, reason: "This is no event: it has no kind." });
      continue;
    }
    if (event.kind === "SystemPromptEvent") {
      systemPrompt = asName(fieldAt(event.system_prompt, "text")) ?? asName(event.system_prompt) ?? systemPrompt;
    }
    readEvent(log, event, { id: asName(event.id) ?? `event-${index}`, ts: asTimeMs(event.timestamp) });
  }
  return { entries: log.entries, problems, systemPrompt };
}

function readEvent(log: EventLog, event: JsonRecord, stamp: MessageStamp): void {
  const callId = asName(event.tool_call_id);
  switch (event.kind) {
    case "MessageEvent": {
      const message = asRecord(event.llm_message) ?? {};
      const blocks = [...reasoningBlocks(message), ...readParts(message.content), ...readParts(event.extended_content)];
      if (message.role === "assistant") log.addReply(blocks, stamp);
      else log.addUser(blocks, stamp);
      break;
    }
    case "ActionEvent": {
      const start = () => ({ blocks: [...reasoningBlocks(event), ...readParts(event.thought)] });
      log.openReply(asName(event.llm_response_id), stamp, start).push(readCall(event, callId ?? `call-${stamp.id}`));
      break;
    }
    case "ObservationEvent": {
      const observation = asRecord(event.observation) ?? {};
      const isError = observation.is_error === true || asName(observation.error) !== undefined;
      log.addOutcome({ callId, text: observationText(observation), isError }, stamp);
      break;
    }
    case "UserRejectObservation":
      log.addOutcome({ callId, text: asText(event.rejection_reason) ?? "", isError: true }, stamp);
      break;
    case "AgentErrorEvent":
      log.addOutcome({ callId, text: asText(event.error) ?? "", isError: true }, stamp);
      break;
    case "Condensation":
      log.addCompaction(asName(event.summary), stamp);
  }
}

function readParts(value: unknown): readonly Block[] {
  if (typeof value === "string") return textBlocks(value);
  return asArray(value).flatMap((part): readonly Block[] => {
    const text = asText(fieldAt(part, "text"));
    if (text !== undefined) return textBlocks(text);
    return asArray(fieldAt(part, "image_urls")).flatMap((url) => (typeof url === "string" ? [imageFromUrl(url)] : []));
  });
}

/** The signed thinking blocks of a message; if there are none, its reasoning as plain text. */
function reasoningBlocks({ thinking_blocks, reasoning_content }: JsonRecord): readonly Block[] {
  const signed = asArray(thinking_blocks).flatMap((value): readonly Block[] => {
    const { type, thinking, ...rest } = asRecord(value) ?? {};
    const text = asText(thinking);
    if (text !== undefined) return [{ ...rest, type: "reasoning", text }];
    return type === "redacted_thinking" ? [{ ...rest, type }] : [];
  });
  const plain = asName(reasoning_content);
  return signed.length > 0 || plain === undefined ? signed : [{ type: "reasoning", text: plain }];
}

function readCall({ tool_call, tool_name, action }: JsonRecord, id: string): Block {
  const args = fieldAt(tool_call, "arguments") ?? fieldAt(tool_call, "function", "arguments");
  const name = asName(tool_name) ?? asName(fieldAt(tool_call, "name")) ?? "action";
  const input = typeof args === "string" ? (asRecord(tryParseJson(args)) ?? args) : (args ?? action ?? {});
  return { type: "tool_use", id, name, input };
}

/** The text of a tool's result: its parts, a text field, or else its fields as JSON. */
function observationText(observation: JsonRecord): string {
  const { content, output, text, error, message } = observation;
  const parts = readParts(content).map((block) => asText(fieldAt(block, "text")) ?? "[image]");
  if (parts.length > 0) return parts.join("\n");
  const plain = [output, text, error, message].map(asName).find((value) => value !== undefined);
  const { kind: _, ...rest } = observation;
  return plain ?? (Object.keys(rest).length === 0 ? "" : serialize(rest));
}
