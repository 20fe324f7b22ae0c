import {
  asArray,
  asName,
  asRecord,
  asText,
  asTokens,
  fieldAt,
  isRecord,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import type { DocumentFormat, LinesFormat, Transcript, TranscriptProblem } from "../../core/transcript/transcript.ts";
import { textBlocks } from "../../core/transcript/transcript-draft.ts";
import { createEventLog, type EventLog, type ReadEvents } from "./event-log.ts";
import { readV0 } from "./read-v0.ts";
import { readV1 } from "./read-v1.ts";

const NAME = "openhands";

/** Trajectories of OpenHands: a list of events of any version, a list of steps, or a document with such a list as its `history`. */
export const openhandsFormat: DocumentFormat = {
  type: "document",
  name: NAME,
  detect: (document) => readerOf(eventsOf(document)) !== undefined,
  needs: ([first]) =>
    typeof first !== "string" || ["history", "instance_id", "instruction", "metadata"].includes(first),
  read: (document) => readDocument(document, { format: NAME, problems: [] }),
};

const OUTPUT_NAME = "openhands-output";

/** The output of OpenHands' evaluations and of its issue resolver: one session per line, of which the first is read. */
export const openhandsOutputFormat: LinesFormat = {
  type: "lines",
  name: OUTPUT_NAME,
  detect: ([first]) => isRecord(first) && readerOf(eventsOf(first)) !== undefined,
  createReader() {
    const problems: TranscriptProblem[] = [];
    let first: unknown;
    return {
      read(record, line) {
        if (!isRecord(record)) problems.push({ where: `line ${line}`, reason: "This is no session." });
        else if (first === undefined) first = record;
        else problems.push({ where: `line ${line}`, reason: "This is another session; it was left out." });
      },
      finish: () => readDocument(first, { format: OUTPUT_NAME, problems }),
    };
  },
};

interface ReadContext {
  readonly format: string;
  readonly problems: readonly TranscriptProblem[];
}

function readDocument(document: unknown, { format, problems }: ReadContext): Transcript {
  const events = eventsOf(document);
  const where = Array.isArray(document) ? "" : "history";
  const read: ReadEvents = readerOf(events)?.(events, where) ?? {
    entries: [],
    problems: [{ where, reason: "There are no events that we know." }],
  };
  return assembleTranscript(read.entries, {
    format,
    problems: [...problems, ...read.problems],
    sessionId: asName(fieldAt(document, "instance_id")),
    systemPrompt: read.systemPrompt,
    modelId: read.modelId ?? asName(fieldAt(document, "metadata", "llm_config", "model")),
  });
}

function eventsOf(document: unknown): readonly unknown[] {
  const events = asArray(Array.isArray(document) ? document : fieldAt(document, "history"));
  // In the first versions, a history was a list of pairs of action and observation.
  return events.some(Array.isArray) ? events.flat() : events;
}

/** The reader for a list of events, by the first event that shows the version; undefined if none does. */
function readerOf(events: readonly unknown[]): ((events: readonly unknown[], where: string) => ReadEvents) | undefined {
  for (const value of events.slice(0, 50)) {
    const event = asRecord(value);
    // A message of another agent, which may also have an action.
    if (event === undefined || "role" in event) continue;
    if (isKindOfV1(asName(event.kind) ?? "")) return readV1;
    if (asName(event.action) !== undefined || asName(event.observation) !== undefined) return readV0;
    if ("step" in event && isRecord(event.agent)) return readSteps;
  }
  return undefined;
}

function isKindOfV1(kind: string): boolean {
  const condensation = kind.lastIndexOf("Condensation");
  return /(?:Event|Observation)$/.test(kind) || (condensation >= 0 && /^\w*$/.test(kind.slice(condensation)));
}

/** Reads a trajectory of steps, each with a thought, an action and the environment's answer. */
function readSteps(steps: readonly unknown[], where: string): ReadEvents {
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
  // The last step has no answer: its action is the agent's final message.
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
