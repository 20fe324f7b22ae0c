import type { Message } from "../message/message.ts";

/** A session that an agent saved, in our messages. */
export interface Transcript {
  /** The name of the format of its file. */
  readonly format: string;
  /** All messages that the model was shown, in order, including those that the agent's own compactions removed from its context. */
  readonly messages: readonly Message[];
  readonly sessionId?: string;
  readonly systemPrompt?: string;
  /** The model used last. */
  readonly modelId?: string;
  /** The folder that the agent worked in. */
  readonly workingDirectory?: string;
  readonly compactions: readonly TranscriptCompaction[];
  /** The usage that the provider reported, one entry for each request. */
  readonly usages: readonly TranscriptUsage[];
  /** Parts of the file that could not be read, and were skipped. */
  readonly problems: readonly TranscriptProblem[];
}

/** A compaction by the agent itself. */
export interface TranscriptCompaction {
  /** The index in `messages` of the first message after it. */
  readonly messageIndex: number;
  readonly summary?: string;
  readonly tokensBefore?: number;
}

export interface TranscriptUsage {
  /** The index in `messages` of the reply. */
  readonly messageIndex: number;
  /** Neither read from nor written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface TranscriptProblem {
  /** The line of a JSONL file, or a path in a document, such as `messages[3].parts[1]`. */
  readonly where: string;
  readonly reason: string;
}

/** The file format in which an agent saves its sessions. */
export type TranscriptFormat = LinesFormat | DocumentFormat;

interface FormatBase {
  readonly name: string;
}

/** One JSON value per line. */
export interface LinesFormat extends FormatBase {
  readonly type: "lines";
  /** Whether a file that begins with these records is of this format. Incomplete records are left out. */
  detect(records: readonly unknown[]): boolean;
  createReader(): TranscriptReader;
}

/** One JSON document. */
export interface DocumentFormat extends FormatBase {
  readonly type: "document";
  /** Whether this document is of this format. */
  detect(document: unknown): boolean;
  /**
   * Whether the value at a path such as `["trajectory", 4, "query"]` is needed. Other values are never built, so that files with much
   * repetition take little memory. @default everything
   */
  needs?(path: readonly (string | number)[]): boolean;
  read(document: unknown): Transcript;
}

/** Reads records one after the other, without keeping all of them. */
export interface TranscriptReader {
  read(record: unknown, line: number): void;
  finish(): Transcript;
}
