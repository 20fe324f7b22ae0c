import { asName, asRecord, asText, asTimeMs, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import type { MessageStamp } from "../../core/transcript/transcript-draft.ts";
import { createEventLog, type EventLog, type ReadEvents } from "./event-log.ts";
import { observationText, readCall, readParts, reasoningBlocks } from "./read-v1-parts.ts";

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
