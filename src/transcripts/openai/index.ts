import { asName, asRecord, asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import { readOpenAiMessages } from "../../core/transcript/openai-messages.ts";
import type {
  DocumentFormat,
  LinesFormat,
  Transcript,
  TranscriptProblem,
  TranscriptReader,
} from "../../core/transcript/transcript.ts";

export { writeOpenAi } from "./write.ts";

/**
 * A list of messages in the form of OpenAI's chat API: bare, or as the `messages`, `traj`, `trajectory`, `history`, `conversation` or `conversations` of
 * a document or of each item of a list. Of several conversations the first is read. Not kept: names of tools on results, the spacing of arguments.
 */
export const openaiFormat: DocumentFormat = {
  type: "document",
  name: "openai",
  detect(document) {
    const [first] = findConversations(document);
    return first !== undefined && isOpenAiMessage(first.records[0]);
  },
  read: (document) => readFirst(findConversations(document), "openai"),
};

/**
 * Lines in OpenAI's form: one message each, or one conversation each (training files, and tau-bench's examples, which are plain
 * text). Of several conversations the first is read.
 */
export const openaiJsonlFormat: LinesFormat = {
  type: "lines",
  name: "openai-jsonl",
  detect: (records) => records.slice(0, MAX_HEADERS + 1).some(isMessageOrConversation),
  createReader,
};

// Some agents write so many other records before the first message.
const MAX_HEADERS = 3;

function isMessageOrConversation(record: unknown): boolean {
  if (isOpenAiMessage(unwrapped(record)) || asText(fieldAt(record, "messages_display")) !== undefined) return true;
  const [first] = findConversations(record);
  return first !== undefined && isOpenAiMessage(first.records[0]);
}

function createReader(): TranscriptReader {
  const problems: TranscriptProblem[] = [];
  const messages: unknown[] = [];
  const conversations: FoundConversation[] = [];

  return {
    read(record, line) {
      const where = `line ${line}`;
      const text = asText(fieldAt(record, "messages_display"));
      const inLine = text === undefined ? findConversations(record) : [{ where, records: splitTalk(text) }];
      // Only the first conversation is read: of the others, only the number is needed.
      for (const conversation of inLine) {
        conversations.push({ ...conversation, where, ...(conversations.length > 0 && { records: [] }) });
      }
      if (inLine.length > 0) return;
      const message = unwrapped(record);
      if (isOpenAiMessage(message)) messages.push(message);
      else problems.push({ where, reason: "This is neither a message nor a conversation." });
    },
    finish() {
      const all = messages.length > 0 ? [{ where: "lines", records: messages }, ...conversations] : conversations;
      const transcript = readFirst(all, "openai-jsonl");
      return { ...transcript, problems: [...problems, ...transcript.problems] };
    },
  };
}

/** Splits a text into messages: a line like `user: …` begins one. Calls are not in the text; the assistant's content is `None` then. */
function splitTalk(text: string): readonly unknown[] {
  return text.split(/^(?=(?:user|assistant|tool|system): )/m).map((part) => {
    const [, role = "user", content = part] = /^(user|assistant|tool|system): ([\s\S]*)$/.exec(part.trimEnd()) ?? [];
    return { role, content };
  });
}

/** A list of messages, and the model and id that stood beside it. */
interface FoundConversation {
  readonly where: string;
  readonly records: readonly unknown[];
  readonly modelId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** All conversations of a document, in order. */
export function readOpenAiConversations(document: unknown): readonly Transcript[] {
  return findConversations(document).map((conversation) => readConversation(conversation, "openai"));
}

// The names that agents, benchmarks and training files give their lists of messages.
const LIST_FIELDS = ["messages", "traj", "trajectory", "history", "conversation", "conversations"];

// Enough for a document with a list of objects, each with a list of messages.
const MAX_DEPTH = 4;

/** Finds every list of messages in a document: the document itself, one of its fields, or those of each of its items. */
function findConversations(document: unknown): readonly FoundConversation[] {
  return findIn(document, "", MAX_DEPTH);
}

function findIn(value: unknown, where: string, depth: number): readonly FoundConversation[] {
  if (depth === 0) return [];
  if (Array.isArray(value)) {
    if (value.some(hasRole)) return [{ where, records: value.map(unwrapped) }];
    return value.flatMap((item, index) => findIn(item, `${where}[${index}]`, depth - 1));
  }
  if (!isRecord(value)) return [];
  for (const field of LIST_FIELDS) {
    const found = findIn(value[field], where === "" ? field : `${where}.${field}`, depth - 1);
    if (found.length > 0) return found.map((conversation) => ({ ...namesOf(value), ...conversation }));
  }
  return [];
}

function namesOf(value: JsonRecord): Pick<FoundConversation, "modelId" | "sessionId"> {
  const taskId = value.task_id === undefined ? undefined : String(value.task_id);
  return { modelId: asName(value.model), sessionId: asName(value.id) ?? taskId };
}

function hasRole(value: unknown): boolean {
  return asText(fieldAt(unwrapped(value), "role")) !== undefined;
}

/** The message inside a wrapper, with the role, id and time of the wrapper; the value itself if there is no wrapper. */
function unwrapped(value: unknown): unknown {
  const message = asRecord(fieldAt(value, "message"));
  if (!isRecord(value) || message === undefined || "content" in value) return value;
  const { role, id, timestamp } = value;
  return {
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
    ...message,
    ...(role !== undefined && { role }),
  };
}

/** Reads the first conversation. A file is one session to us: further conversations are reported as a problem. */
function readFirst(conversations: readonly FoundConversation[], format: string): Transcript {
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

function isOpenAiMessage(value: unknown): boolean {
  if (!isRecord(value) || !ROLES.has(value.role)) return false;
  return "content" in value || "tool_calls" in value || "function_call" in value;
}
