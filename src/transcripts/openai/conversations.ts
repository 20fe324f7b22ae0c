import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import { readOpenAiMessages } from "../../core/transcript/openai-messages.ts";
import { asArray, asName, asText, fieldAt, isRecord } from "../../core/transcript/read-json.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";

/** A list of messages, and what stood beside it. */
export interface FoundConversation {
  readonly where: string;
  readonly records: readonly unknown[];
  readonly modelId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** All conversations of a document, in order. */
export function readOpenAiConversations(document: unknown): readonly Transcript[] {
  return findConversations(document).map((found) => readConversation(found, "openai"));
}

/** Every list of messages in a document: itself, its `messages` or `traj`, or those of each of its items. */
export function findConversations(document: unknown): readonly FoundConversation[] {
  if (!Array.isArray(document)) return conversationOf(document, "");
  const isList = document.length > 0 && document.some((record) => asText(fieldAt(record, "role")) !== undefined);
  if (isList) return [{ where: "", records: document }];
  return document.flatMap((item, index) => conversationOf(item, `[${index}]`));
}

function conversationOf(value: unknown, where: string): readonly FoundConversation[] {
  if (!isRecord(value)) return [];
  const field = Array.isArray(value.messages) ? "messages" : "traj";
  const records = asArray(value[field]);
  if (records.length === 0) return [];
  const taskId = value.task_id === undefined ? undefined : String(value.task_id);
  return [
    {
      where: where === "" ? field : `${where}.${field}`,
      records,
      modelId: asName(value.model),
      sessionId: asName(value.id) ?? taskId,
    },
  ];
}

/** A file is one session to us: the others are said to be there. */
export function readFirst(conversations: readonly FoundConversation[], format: string): Transcript {
  const [first = { where: "", records: [] }] = conversations;
  const transcript = readConversation(first, format);
  if (conversations.length <= 1) return transcript;
  const reason = `There are ${conversations.length} conversations here; only the first was read.`;
  return { ...transcript, problems: [...transcript.problems, { where: conversations[1]?.where ?? "", reason }] };
}

function readConversation({ where, records, modelId, sessionId }: FoundConversation, format: string): Transcript {
  const { entries, problems, systemPrompt } = readOpenAiMessages(records, where);
  return assembleTranscript(
    entries.map(({ message }) => ({ type: "message", message })),
    { format, problems, systemPrompt, modelId, sessionId },
  );
}

const ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

export function isOpenAiMessage(value: unknown): boolean {
  if (!isRecord(value) || !ROLES.has(value.role)) return false;
  return "content" in value || "tool_calls" in value || "function_call" in value;
}
