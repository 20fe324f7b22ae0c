import type { Block, Message } from "../message/message.ts";
import type { Transcript, TranscriptCompaction, TranscriptProblem, TranscriptUsage } from "./transcript.ts";

/** Fields of a session besides its messages. Those that are undefined are left out of the transcript. */
export interface TranscriptFields {
  readonly sessionId?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly modelId?: string | undefined;
  readonly workingDirectory?: string | undefined;
}

/** Builds a transcript, in the order of its file. */
export interface TranscriptDraft {
  /** The index of the next message. */
  readonly nextIndex: number;
  /** Adds a message and returns its index. An id that was used before gets a number, so that ids stay unique. */
  add(message: Message): number;
  addUsage(usage: TranscriptUsage): void;
  addCompaction(compaction: TranscriptCompaction): void;
  addProblem(where: string, reason: string): void;
  finish(fields: TranscriptFields): Transcript;
}

export function createTranscriptDraft(format: string): TranscriptDraft {
  const messages: Message[] = [];
  const compactions: TranscriptCompaction[] = [];
  const usages: TranscriptUsage[] = [];
  const problems: TranscriptProblem[] = [];
  const uniqueId = createUniqueIds();

  return {
    get nextIndex() {
      return messages.length;
    },
    add(message) {
      const id = message.id === undefined ? undefined : uniqueId(message.id);
      return messages.push(id === message.id || id === undefined ? message : { ...message, id }) - 1;
    },
    addUsage: (usage) => void usages.push(usage),
    addCompaction: (compaction) => void compactions.push(compaction),
    addProblem: (where, reason) => void problems.push({ where, reason }),
    finish: ({ sessionId, systemPrompt, modelId, workingDirectory }) => ({
      format,
      messages,
      ...(sessionId !== undefined && { sessionId }),
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(modelId !== undefined && { modelId }),
      ...(workingDirectory !== undefined && { workingDirectory }),
      compactions,
      usages,
      problems,
    }),
  };
}

/** Returns a function that returns an id unchanged the first time, and `id#2`, `id#3` … after that. */
function createUniqueIds(): (id: string) => string {
  const timesSeen = new Map<string, number>();
  return function uniqueId(id): string {
    const times = (timesSeen.get(id) ?? 0) + 1;
    timesSeen.set(id, times);
    return times === 1 ? id : uniqueId(`${id}#${times}`);
  };
}

/** The fields of a message that a file may lack. */
export interface MessageStamp {
  readonly id?: string | undefined;
  readonly ts?: number | undefined;
}

/** Makes a message; an undefined id or time is left out. */
export function stamped(role: Message["role"], content: Message["content"], { id, ts }: MessageStamp): Message {
  return { role, content, ...(id !== undefined && { id }), ...(ts !== undefined && { ts }) };
}

/** A text as blocks: none for a blank text, which providers refuse. */
export function textBlocks(text: string | undefined): readonly Block[] {
  return text === undefined || text.trim() === "" ? [] : [{ type: "text", text }];
}
