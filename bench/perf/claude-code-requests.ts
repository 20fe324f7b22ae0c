import type { Block, Message, ReportedUsage } from "palimpsest";

/** One request of a Claude Code session: what it added to the conversation, what the provider said of it, and its reply. */
export interface RecordedRequest {
  readonly model: string;
  readonly added: readonly Message[];
  readonly usage: ReportedUsage;
  readonly reply: Message;
  /** The conversation was compacted just before. */
  readonly isRestart: boolean;
  /** When it was sent, in milliseconds since the epoch: the time of the newest line before its reply. */
  readonly atMs: number;
}

export interface ReadRequestsOptions {
  /** Whether the agent's own compactions are part of the conversation; without, it goes on as if there had been none. @default true */
  readonly keepsSummaries?: boolean;
}

/** The conversations in one transcript: the main one and each sub-agent's. Lines that cannot be read are left out. */
export function readRequests(
  jsonl: string,
  { keepsSummaries = true }: ReadRequestsOptions = {},
): readonly (readonly RecordedRequest[])[] {
  const sessions = new Map<string, SessionReader>();
  for (const line of jsonl.split("\n").filter((text) => text.trim() !== "")) {
    const entry = parseFields(line);
    if (entry.isCompactSummary === true && !keepsSummaries) continue;
    const key = entry.isSidechain === true ? `agent ${entry.agentId}` : "main";
    const session = sessions.get(key) ?? createSessionReader(keepsSummaries);
    sessions.set(key, session);
    session.read(entry);
  }
  return [...sessions.values()].map((session) => session.requests());
}

/** What we read of a transcript's JSON, at whatever depth. */
interface Fields {
  readonly type?: unknown;
  readonly subtype?: unknown;
  readonly isSidechain?: unknown;
  readonly isCompactSummary?: unknown;
  readonly timestamp?: unknown;
  readonly agentId?: unknown;
  readonly message?: unknown;
  readonly id?: unknown;
  readonly model?: unknown;
  readonly usage?: unknown;
  readonly content?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly attachment?: unknown;
  readonly prompt?: unknown;
  readonly addedBlocks?: unknown;
  readonly addedLines?: unknown;
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
}

interface SessionReader {
  read(entry: Fields): void;
  requests(): readonly RecordedRequest[];
}

function createSessionReader(keepsSummaries: boolean): SessionReader {
  const requests: RecordedRequest[] = [];
  const indexById = new Map<unknown, number>();
  let added: Message[] = [];
  let isRestart = false;
  let newestMs = Number.NaN;

  // one reply is spread over several lines, a block each, with the usage repeated and its output still growing
  function readReply({ id, model, content, usage }: Fields, timeMs: number): void {
    const reported = usageOf(fieldsOf(usage));
    const blocks = blocksOf(content);
    const index = indexById.get(id) ?? requests.length;
    const known = requests[index];
    if (known === undefined) {
      indexById.set(id, index);
      const atMs = Number.isNaN(newestMs) ? timeMs : newestMs;
      requests.push({ model: String(model), added, usage: reported, isRestart, reply: replyOf(blocks), atMs });
      newestMs = Number.NaN;
      added = [];
      isRestart = false;
      return;
    }
    const outputTokens = Math.max(reported.outputTokens ?? 0, known.usage.outputTokens ?? 0);
    const reply = replyOf([...blocksOf(known.reply.content), ...blocks]);
    requests[index] = { ...known, usage: { ...known.usage, outputTokens }, reply };
  }

  function readAttachment({ content, prompt, addedBlocks, addedLines }: Fields): void {
    const text = stringsIn([content, prompt, addedBlocks, addedLines]).join("\n");
    if (text !== "") added.push({ role: "user", content: [{ type: "text", text }] });
  }

  return {
    read(entry) {
      const message = fieldsOf(entry.message);
      const timeMs = Date.parse(String(entry.timestamp));
      if (entry.subtype === "compact_boundary") {
        if (keepsSummaries) added = [];
        isRestart = true;
      } else if (entry.type === "assistant" && message.model !== "<synthetic>") {
        readReply(message, timeMs);
      } else if (entry.type === "user") {
        newestMs = timeMs;
        added.push({ role: "user", content: blocksOf(message.content) });
      } else if (entry.type === "attachment") {
        readAttachment(fieldsOf(entry.attachment));
      }
    },
    requests: () => requests.filter(({ usage }) => usage.inputTokens + (usage.cacheReadTokens ?? 0) > 0),
  };
}

function replyOf(content: readonly Block[]): Message {
  return { role: "assistant", content };
}

function usageOf(usage: Fields): ReportedUsage {
  return {
    inputTokens: Number(usage.input_tokens ?? 0),
    cacheReadTokens: Number(usage.cache_read_input_tokens ?? 0),
    cacheWriteTokens: Number(usage.cache_creation_input_tokens ?? 0),
    outputTokens: Number(usage.output_tokens ?? 0),
  };
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) => {
    const fields = fieldsOf(block);
    return fields.type === "thinking"
      ? { type: "reasoning", text: String(fields.thinking ?? "") }
      : { ...fields, type: String(fields.type) };
  });
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return typeof value === "object" && value !== null ? stringsIn(fieldsOf(value).text) : [];
}

function parseFields(line: string): Fields {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value : {};
}
