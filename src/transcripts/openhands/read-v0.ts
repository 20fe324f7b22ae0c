import {
  asArray,
  asName,
  asNumber,
  asRecord,
  asText,
  asTimeMs,
  asTokens,
  fieldAt,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import type { RequestUsage, TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { readOpenAiMessages, readOpenAiUsage } from "../../core/transcript/openai-messages.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import { type MessageStamp, textBlocks } from "../../core/transcript/transcript-draft.ts";
import { createEventLog, type ReadEvents } from "./event-log.ts";

/** Actions and observations that the model never sees. */
const HIDDEN: ReadonlySet<string> = new Set([
  "agent_state_changed",
  "change_agent_state",
  "condensation_request",
  "null",
]);

/** Reads the events of OpenHands 0.x. Those of 2024 have no ids: there an observation belongs to the action before it. */
export function readV0(events: readonly unknown[], where: string): ReadEvents {
  const problems: TranscriptProblem[] = [];
  const reader = createV0Reader();
  for (const [index, value] of events.entries()) {
    const event = asRecord(value);
    const [action, observation] = [asName(event?.action), asName(event?.observation)];
    if (event === undefined || (action === undefined && observation === undefined)) {
      problems.push({ where: `${where}[${index}]`, reason: "This is neither an action nor an observation." });
      continue;
    }
    const eventId = eventIdOf(event.id) ?? `${index}`;
    const stamp = { id: `event-${eventId}`, ts: asTimeMs(event.timestamp) };
    if (HIDDEN.has(action ?? observation ?? "") || action === "recall") continue;
    if (action !== undefined) reader.act(event, { action, eventId, stamp });
    else reader.observe(event, stamp);
  }
  return { ...reader.finish(), problems };
}

interface ActionPlace {
  readonly action: string;
  readonly eventId: string;
  readonly stamp: MessageStamp;
}

function createV0Reader() {
  const log = createEventLog();
  const callIds = new Map<string, string>();
  let [systemPrompt, modelId, lastCallId]: (string | undefined)[] = [];

  const call = (event: JsonRecord, { eventId, stamp }: ActionPlace): void => {
    const metadata = asRecord(event.tool_call_metadata) ?? {};
    const callId = asName(metadata.tool_call_id) ?? `call-${eventId}`;
    lastCallId = callId;
    callIds.set(eventId, callId);
    const reply = readModelReply(metadata);
    modelId = reply?.modelId ?? modelId;
    const id = reply?.responseId ?? stamp.id;
    const blocks = log.openReply(reply?.responseId, { ...stamp, id }, () => reply ?? { blocks: [] });
    if (blocks.some((block) => isToolUse(block) && block.id === callId)) return;
    for (const block of actionBlocks(event, callId)) blocks.push(block);
  };

  return {
    act(event: JsonRecord, place: ActionPlace): void {
      const args = asRecord(event.args) ?? event;
      const { action, stamp } = place;
      const isFarewell = action === "finish" && event.tool_call_metadata === undefined;
      if (action === "system") systemPrompt = asName(args.content) ?? systemPrompt;
      else if (action === "message" && isOfUser(event, log.entries)) log.addUser(messageBlocks(args), stamp);
      else if (action === "message") log.addReply(messageBlocks(args), stamp);
      else if (action === "condensation") log.addCompaction(asName(args.summary), stamp);
      // A command that the person ran.
      else if (event.source === "user") log.addUser(textBlocks(asText(args.command) ?? asText(event.message)), stamp);
      else if (isFarewell) log.addReply(textBlocks(finishText(event)), stamp);
      else call(event, place);
    },
    observe(event: JsonRecord, stamp: MessageStamp): void {
      if (event.observation === "recall") {
        log.addUser(textBlocks(recallText(asRecord(event.extras) ?? {})), stamp);
        return;
      }
      const named = asName(asRecord(event.tool_call_metadata)?.tool_call_id);
      const callId = named ?? (event.id === undefined ? lastCallId : callIds.get(eventIdOf(event.cause) ?? ""));
      const text = asText(event.content) ?? asText(event.message) ?? "";
      log.addOutcome({ callId, text, isError: event.observation === "error" }, stamp);
    },
    finish: () => ({ entries: log.entries, systemPrompt, modelId }),
  };
}

function eventIdOf(id: unknown): string | undefined {
  return asName(id) ?? asNumber(id)?.toString();
}

/** Whether a message is the user's. Events of 2024 have no source: there a message is the user's at the start, and after one of the agent's. */
function isOfUser({ source }: JsonRecord, entries: readonly TranscriptEntry[]): boolean {
  if (source !== undefined) return source !== "agent";
  const last = entries.at(-1);
  return last === undefined || (last.type === "message" && last.message.role === "assistant");
}

function messageBlocks({ content, image_urls }: JsonRecord): readonly Block[] {
  const images = asArray(image_urls).flatMap((url) => (typeof url === "string" ? [imageFromUrl(url)] : []));
  return [...textBlocks(asText(content)), ...images];
}

/** The reply of the model that an action came from; several actions may come from one reply. */
interface ModelReply {
  readonly responseId: string | undefined;
  readonly blocks: readonly Block[];
  readonly usage: RequestUsage | undefined;
  readonly modelId: string | undefined;
}

/** The reply that an event's metadata holds a copy of; undefined if it holds none. */
function readModelReply(metadata: JsonRecord): ModelReply | undefined {
  const response = asRecord(metadata.model_response);
  const message = fieldAt(response, "choices", 0, "message");
  const content = readOpenAiMessages([message], "choices").entries[0]?.message.content;
  if (response === undefined || content === undefined) return undefined;
  return {
    responseId: asName(response.id),
    blocks: typeof content === "string" ? textBlocks(content) : contentBlocks(content),
    usage: readUsage(response.usage),
    modelId: asName(response.model),
  };
}

function readUsage(value: unknown): RequestUsage | undefined {
  const usage = readOpenAiUsage(value);
  if (usage === undefined) return undefined;
  const cacheWriteTokens = Math.min(asTokens(asRecord(value)?.cache_creation_input_tokens), usage.inputTokens);
  return { ...usage, inputTokens: usage.inputTokens - cacheWriteTokens, cacheWriteTokens };
}

/** Fields of an action that are not arguments of its tool. */
const NOT_ARGUMENTS: ReadonlySet<string> = new Set([
  "action",
  "action_risk",
  "args",
  "blocking",
  "cause",
  "confirmation_state",
  "id",
  "is_confirmed",
  "keep_prompt",
  "kernel_init_code",
  "llm_metrics",
  "message",
  "source",
  "thought",
  "timeout",
  "timestamp",
  "tool_call_metadata",
]);

/** An action as a tool call, after its thought as text. */
function actionBlocks(event: JsonRecord, callId: string): readonly Block[] {
  const args = asRecord(event.args) ?? event;
  const name = asName(fieldAt(event, "tool_call_metadata", "function_name")) ?? asName(event.action) ?? "action";
  const input = Object.fromEntries(Object.entries(args).filter(([key]) => !NOT_ARGUMENTS.has(key)));
  return [...textBlocks(asText(args.thought)), { type: "tool_use", id: callId, name, input }];
}

/** The agent's final message. */
function finishText(event: JsonRecord): string {
  const args = asRecord(event.args) ?? event;
  const texts = [args.thought, args.final_thought, fieldAt(args, "outputs", "content")].flatMap(
    (text) => asName(text) ?? [],
  );
  return [...new Set(texts)].join("\n\n");
}

/** The text that the agent's knowledge base added to the conversation. */
function recallText(extras: JsonRecord): string {
  const { repo_instructions, additional_agent_instructions, conversation_instructions, microagent_knowledge } = extras;
  const knowledge = Array.isArray(microagent_knowledge) ? microagent_knowledge : [];
  const texts = [repo_instructions, additional_agent_instructions, conversation_instructions];
  return [...texts, ...knowledge.map((item) => fieldAt(item, "content"))]
    .flatMap((text) => asName(text) ?? [])
    .join("\n\n");
}
