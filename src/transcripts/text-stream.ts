import { createReadStream } from "node:fs";
import { describeError } from "../core/describe-error.ts";
import { PalimpsestError } from "../core/errors.ts";

const CHUNK_BYTES = 256 * 1024;

/** Longer strings than this do not fit into every JavaScript engine. */
export const MAX_LINE_CHARACTERS = 2 ** 28;

/** Decodes a file or bytes as UTF-8, piece by piece: without a byte order mark, and with invalid bytes replaced. */
export async function* readText(source: string | AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of typeof source === "string" ? readFileBytes(source) : source) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/** One line of a text. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** The line without its ending; undefined if it is too long to be held. */
  readonly text: string | undefined;
  /** Whether a line ending follows. */
  readonly isComplete: boolean;
}

/** Splits a text that arrives in pieces into lines. The pieces of a line are joined once. */
export async function* readLines(
  texts: AsyncIterable<string>,
  maxCharacters = MAX_LINE_CHARACTERS,
): AsyncGenerator<Line> {
  let pieces: string[] = [];
  let characters = 0;
  let number = 1;
  const keep = (piece: string) => {
    characters += piece.length;
    if (characters > maxCharacters) pieces = [];
    else pieces.push(piece);
  };
  const take = (isComplete: boolean): Line => {
    const text = characters > maxCharacters ? undefined : pieces.join("").replace(/\r$/, "");
    pieces = [];
    characters = 0;
    return { number: number++, text, isComplete };
  };

  for await (const text of texts) {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      keep(text.slice(start, end));
      yield take(true);
      start = end + 1;
    }
    if (start < text.length) keep(text.slice(start));
  }
  if (characters > 0) yield take(false);
}

const LONGEST_PATH = 80;

/** The reasons by the file system's error codes. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file. Check the path.",
  ENOTDIR: "a part of the path is no folder. Check the path.",
  EISDIR: "it is a folder. Name one session file in it.",
  ENAMETOOLONG: "that is too long for a path. Pass the path of a file, not what it holds.",
  EACCES: "its permissions do not allow it. Change them, or copy the file.",
  EPERM: "its permissions do not allow it. Change them, or copy the file.",
};

/** The error for a file that cannot be opened or read, with what to do about it. */
function unreadableFile(path: string, error: unknown): PalimpsestError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = REASONS[code] ?? `${describeError(error)}. Check the path and the disk.`;
  return new PalimpsestError("invalid-argument", `Cannot read ${shortPath(path)}: ${reason}`);
}

/** A path for an error message. A long one is cut at its beginning, as its end says more. */
export function shortPath(path: string): string {
  return path.length > LONGEST_PATH ? `…${path.slice(-LONGEST_PATH)}` : path;
}
