import { asName, asRecord, asText, asTokens, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import { textBlocks } from "../../core/transcript/transcript-draft.ts";
import { createEventLog, type EventLog, type ReadEvents } from "./event-log.ts";

/** Reads trajectories in steps, each of them a thought, an action and what the environment answered. */
export function readSteps(steps: readonly unknown[], where: string): ReadEvents {
  const log = createEventLog();
  const problems: TranscriptProblem[] = [];
  let modelId: string | undefined;
  for (const [index, value] of steps.entries()) {
    const step = asRecord(value);
    if (step === undefined) {
      problems.push({ where: `${where}[${index}]`, reason: "This is no step." });
      continue;
    }
    readStep(log, step, `step-${index}`);
    modelId = asName(fieldAt(step.step_usage, "model")) ?? modelId;
  }
  return { entries: log.entries, problems, modelId };
}

function readStep(log: EventLog, step: JsonRecord, id: string): void {
  log.addUser(textBlocks(asText(step.user_message)), { id: `${id}-user` });
  const action = asName(fieldAt(step.agent, "action"));
  const environment = asText(step.environment);
  // The last step only says something.
  const isCall = action !== undefined && environment !== undefined;
  const call = isCall ? [{ type: "tool_use", id, name: "action", input: action }] : textBlocks(action);
  log.openReply(undefined, { id }, () => ({
    blocks: [...textBlocks(asText(fieldAt(step.agent, "thought"))), ...call],
    usage: {
      inputTokens: asTokens(fieldAt(step.step_usage, "input_tokens")),
      outputTokens: asTokens(fieldAt(step.step_usage, "output_tokens")),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    },
  }));
  if (environment === undefined) return;
  log.addOutcome({ callId: isCall ? id : undefined, text: environment, isError: false }, { id: `${id}-result` });
}
