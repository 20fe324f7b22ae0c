import { asText, fieldAt } from "../../core/json/read-json.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import { type FoundConversation, findConversations, isOpenAiMessage, readFirst, unwrapped } from "./conversations.ts";

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

// What some agents write before the first message.
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
      const found = text === undefined ? findConversations(record) : [{ where, records: splitTalk(text) }];
      // Only the first is read: the others are counted, and need not be kept.
      for (const each of found) {
        conversations.push({ ...each, where, ...(conversations.length > 0 && { records: [] }) });
      }
      if (found.length > 0) return;
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

/** `user: …` begins a message, which goes on until the next such line. Calls show only as the assistant's `None`. */
function splitTalk(text: string): readonly unknown[] {
  return text.split(/^(?=(?:user|assistant|tool|system): )/m).map((part) => {
    const [, role = "user", content = part] = /^(user|assistant|tool|system): ([\s\S]*)$/.exec(part.trimEnd()) ?? [];
    return { role, content };
  });
}
