import { PalimpsestError } from "../core/errors.ts";
import { tryParseJson } from "../core/json/parse-json.ts";
import { createJsonDocumentReader } from "../core/transcript/read-json-document.ts";
import type {
  DocumentFormat,
  LinesFormat,
  Transcript,
  TranscriptFormat,
  TranscriptProblem,
} from "../core/transcript/transcript.ts";
import { describeContent } from "./describe-content.ts";
import { detectFormat } from "./detect-format.ts";
import { TRANSCRIPT_FORMATS } from "./formats.ts";
import { type Line, MAX_LINE_CHARACTERS, readLines, readText, shortPath } from "./text-stream.ts";

export interface ReadTranscriptOptions {
  /** The name of a format. @default the format is detected by the content */
  readonly format?: string;
}

// Detection first reads this much, and twice as much each time that it is not enough.
const FIRST_HEAD_CHARACTERS = 64 * 1024;
const MAX_HEAD_CHARACTERS = 2 ** 27;

/** The most that a reader holds in memory. */
export interface ReadLimits {
  readonly lineCharacters: number;
  /** The length of the beginning that is read to detect the format. */
  readonly headCharacters: number;
}

const LIMITS: ReadLimits = { lineCharacters: MAX_LINE_CHARACTERS, headCharacters: MAX_HEAD_CHARACTERS };

/**
 * Reads a session file of any known agent, by its path or its bytes, as a stream: the text is never held as a whole. Parts that cannot be read are
 * listed in `problems`. Throws for a file that is missing, empty or of no known format, with what to do.
 * @example
 * ```ts
 * import { readTranscript } from "palimpsest/transcripts";
 * const bytes = async function* () { yield Buffer.from('[{ "role": "user", "content": "Why?" }]'); };
 * const { messages, problems } = await readTranscript(bytes());
 * console.log(messages.length, problems.length); // 1 0
 * ```
 */
export async function readTranscript(
  source: string | AsyncIterable<Uint8Array>,
  options: ReadTranscriptOptions = {},
): Promise<Transcript> {
  return readTranscriptWithin(source, options, LIMITS);
}

/** `readTranscript` with other limits. */
export async function readTranscriptWithin(
  source: string | AsyncIterable<Uint8Array>,
  options: ReadTranscriptOptions,
  limits: ReadLimits,
): Promise<Transcript> {
  const texts = readText(source);
  try {
    if (options.format !== undefined) return await readAs(formatNamed(options.format), texts, limits);
    const { format, head } = await detectFromHead(texts, limits);
    if (format === undefined) throw whyUnknown(source, head, limits);
    return await readAs(format, continued(head, texts), limits);
  } finally {
    await texts.return(undefined);
  }
}

function formatNamed(name: string): TranscriptFormat {
  const format = TRANSCRIPT_FORMATS.find((candidate) => candidate.name === name);
  if (format === undefined) throw unknownFormat(`There is no format ${JSON.stringify(name)}.`);
  return format;
}

function unknownFormat(what: string): PalimpsestError {
  const names = TRANSCRIPT_FORMATS.map(({ name }) => name).toSorted();
  return new PalimpsestError("unknown-format", `${what} The known formats are ${names.join(", ")}.`);
}

function whyUnknown(
  source: string | AsyncIterable<Uint8Array>,
  head: string,
  { headCharacters }: ReadLimits,
): PalimpsestError {
  if (head.length >= headCharacters && !head.trim().includes("\n")) {
    return unknownFormat(
      `Line 1 is longer than the ${headCharacters} characters that are looked at to find the format. Name the format, or take the line out of the file.`,
    );
  }
  if (head.trim() !== "") return unknownFormat(`The content is of no format that we know: ${describeContent(head)}.`);
  const what = typeof source === "string" ? `Cannot read ${shortPath(source)}: the file is empty` : "The file is empty";
  return new PalimpsestError("invalid-argument", `${what}. Pass one that holds a session.`);
}

interface DetectedHead {
  readonly format: TranscriptFormat | undefined;
  /** The text that was read to detect it. */
  readonly head: string;
}

async function detectFromHead(texts: AsyncGenerator<string>, { headCharacters }: ReadLimits): Promise<DetectedHead> {
  let head = "";
  let nextLook = FIRST_HEAD_CHARACTERS;
  while (head.length < headCharacters) {
    const { value, done } = await texts.next();
    const isWhole = done === true;
    if (!isWhole) head += value;
    if (isWhole || head.length >= nextLook) {
      const format = detectFormat({ text: head, isWhole });
      if (format !== undefined) return { format, head };
      if (isWhole) break;
      nextLook = head.length * 2;
    }
  }
  return { format: undefined, head };
}

async function* continued(head: string, texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* texts;
}

function readAs(format: TranscriptFormat, texts: AsyncIterable<string>, limits: ReadLimits): Promise<Transcript> {
  return format.type === "lines" ? readLinesFormat(format, texts, limits) : readDocumentFormat(format, texts);
}

async function readLinesFormat(
  format: LinesFormat,
  texts: AsyncIterable<string>,
  { lineCharacters }: ReadLimits,
): Promise<Transcript> {
  const reader = format.createReader();
  const problems: TranscriptProblem[] = [];
  for await (const line of readLines(texts, lineCharacters)) {
    if (line.text?.trim() === "") continue;
    const record = line.text === undefined ? undefined : tryParseJson(line.text);
    if (record === undefined) problems.push({ where: `line ${line.number}`, reason: whyUnread(line, lineCharacters) });
    else reader.read(record, line.number);
  }
  return withProblems(problems, reader.finish());
}

function whyUnread({ text, isComplete }: Line, lineCharacters: number): string {
  if (text === undefined) {
    return `This line is left out: it is longer than ${lineCharacters} characters, more than can be read at once. Shorten what it holds, such as one huge tool output.`;
  }
  return isComplete ? "This line is not JSON." : "The last line is only half there.";
}

async function readDocumentFormat(format: DocumentFormat, texts: AsyncIterable<string>): Promise<Transcript> {
  const { needs } = format;
  const reader = createJsonDocumentReader(needs === undefined ? {} : { needs: (path) => needs(path) });
  for await (const text of texts) reader.push(text);
  const { value, problems } = reader.finish();
  return withProblems(problems, format.read(value));
}

function withProblems(problems: readonly TranscriptProblem[], transcript: Transcript): Transcript {
  return problems.length === 0 ? transcript : { ...transcript, problems: [...problems, ...transcript.problems] };
}
