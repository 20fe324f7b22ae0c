import type { Message } from "../message/message.ts";

/** A session as an agent saved it, in our messages. */
export interface Transcript {
  /** Name of the format that it was read from. */
  readonly format: string;
  /** What the model was shown, in order, without what the agent's own compactions removed from the log: nothing is removed. */
  readonly messages: readonly Message[];
  readonly sessionId?: string;
  readonly systemPrompt?: string;
  /** The model used last. */
  readonly modelId?: string;
  /** The folder that the agent worked in. */
  readonly workingDirectory?: string;
  readonly compactions: readonly TranscriptCompaction[];
  /** What the provider reported, one entry for each request. */
  readonly usages: readonly TranscriptUsage[];
  /** What could not be read, and was passed over. */
  readonly problems: readonly TranscriptProblem[];
}

/** The agent condensed its own context here. */
export interface TranscriptCompaction {
  /** Index into `messages` of the first message after it. */
  readonly messageIndex: number;
  readonly summary?: string;
  readonly tokensBefore?: number;
}

export interface TranscriptUsage {
  /** Index into `messages` of the reply that it is about. */
  readonly messageIndex: number;
  /** Neither read from nor written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface TranscriptProblem {
  /** Line of a JSONL file, or place in a document such as `messages[3].parts[1]`. */
  readonly where: string;
  readonly reason: string;
}

/** How one agent saves its sessions. */
export type TranscriptFormat = LinesFormat | DocumentFormat;

interface FormatBase {
  readonly name: string;
}

/** One JSON value per line. */
export interface LinesFormat extends FormatBase {
  readonly type: "lines";
  /** Whether a file that begins with these records, half-written ones left out, is of this format. */
  detect(records: readonly unknown[]): boolean;
  createReader(): TranscriptReader;
}

/** One JSON document. */
export interface DocumentFormat extends FormatBase {
  readonly type: "document";
  /** Whether this document is of this format. */
  detect(document: unknown): boolean;
  /**
   * Whether a value is needed, by its path such as `["trajectory", 4, "query"]`. What is not is never built, so that files which
   * repeat themselves stay small in memory. @default everything
   */
  needs?(path: readonly (string | number)[]): boolean;
  read(document: unknown): Transcript;
}

/** Takes records one after the other; none is kept longer than it is needed. */
export interface TranscriptReader {
  read(record: unknown, line: number): void;
  finish(): Transcript;
}
