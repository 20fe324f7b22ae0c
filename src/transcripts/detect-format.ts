import { tryParseJson } from "../core/json/parse-json.ts";
import { isRecord } from "../core/json/read-json.ts";
import { createJsonDocumentReader } from "../core/transcript/read-json-document.ts";
import type { DocumentFormat, LinesFormat, TranscriptFormat } from "../core/transcript/transcript.ts";
import { TRANSCRIPT_FORMATS } from "./formats.ts";

/** The beginning of a file. */
export interface FileHead {
  readonly text: string;
  /** Whether it is the whole file. */
  readonly isWhole: boolean;
}

// Enough to get past the bookkeeping lines that some agents write first.
const MAX_RECORDS = 100;

/** Detects the format of a file by the content of its beginning; undefined if no format matches, or more of the file is needed. */
export function detectFormat(head: FileHead): TranscriptFormat | undefined {
  const { records, isOneLine } = readRecords(head);
  const asLines = () => (records.length === 0 ? undefined : findLinesFormat(records));
  const asDocument = () => findDocumentFormat(head.text);
  // A single line may be either: documents are tried first, as they tell more about their format.
  return isOneLine ? (asDocument() ?? asLines()) : (asLines() ?? asDocument());
}

function findLinesFormat(records: readonly unknown[]): LinesFormat | undefined {
  return TRANSCRIPT_FORMATS.filter((format) => format.type === "lines").find((format) => format.detect(records));
}

function findDocumentFormat(text: string): DocumentFormat | undefined {
  const reader = createJsonDocumentReader();
  reader.push(text);
  const document = reader.peek();
  return TRANSCRIPT_FORMATS.filter((format) => format.type === "document").find((format) => format.detect(document));
}

/** The records of the first lines; none if the text is a JSON document over several lines. */
function readRecords({ text, isWhole }: FileHead): {
  readonly records: readonly unknown[];
  readonly isOneLine: boolean;
} {
  const lines = firstLines(text, isWhole);
  const [first = ""] = lines;
  const isSpread = tryParseJson(first) === undefined && /[{[,:]$/.test(first);
  const records = isSpread ? [] : lines.map(tryParseJson).filter(isRecord);
  return { records, isOneLine: isWhole && lines.length === 1 };
}

/** The first lines that are complete and not blank. */
function firstLines(text: string, isWhole: boolean): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  while (lines.length < MAX_RECORDS && start < text.length) {
    const end = text.indexOf("\n", start);
    if (end < 0 && !isWhole) break;
    const line = text.slice(start, end < 0 ? text.length : end).trim();
    if (line !== "") lines.push(line);
    start = end < 0 ? text.length : end + 1;
  }
  return lines;
}
