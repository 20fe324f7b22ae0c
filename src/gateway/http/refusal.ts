import { tryParseJson } from "../../core/json/parse-json.ts";
import type { ModelFailure } from "../../core/policy/failure-texts.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import type { Refusal, Turn } from "../turn.ts";
import { codingOf, decodeWhole } from "./content-coding.ts";
import type { ReplyHead } from "./send-upstream.ts";

/** Why a reply is held back: it may be a refusal, or the opening of a stream, which may fail before its first content. */
export type Examination = "none" | "refusal" | "opening";

const REFUSING: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** An answer that is larger is no refusal. */
export const MOST_REFUSAL_BYTES = 256 * 1024;
/** The opening events of a Responses stream repeat system prompt and tools, more than once. */
export const MOST_OPENING_BYTES = 8 * 1024 * 1024;

export function examinationOf({ status, headers }: ReplyHead, { isStreaming }: Turn): Examination {
  if (REFUSING.has(status)) return "refusal";
  // Of a stream that cannot be decoded, the first content cannot be seen.
  const isReadable = codingOf(headers["content-encoding"]) !== "unknown";
  return isStreaming && status === 200 && isReadable ? "opening" : "none";
}

export function isEventStream(contentType: string | undefined): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType ?? "");
}

/** Whether a whole answer refuses a request as too long; undefined where it does not, or cannot be decoded. */
export async function refusalOf({ status, headers }: ReplyHead, bytes: Buffer): Promise<Refusal | undefined> {
  const decoded = await decodeWhole(bytes, codingOf(headers["content-encoding"]), {
    maxBytes: 4 * MOST_REFUSAL_BYTES,
  });
  if (decoded.type !== "decoded") return undefined;
  const text = decoded.bytes.toString("utf8");
  const body = tryParseJson(text);
  // Of JSON only some fields are read: others may quote the prompt, which says what it likes.
  return readRefusal({ status, message: body === undefined ? text : "", body });
}

/** The refusal that a failure is; undefined where a shorter request would be refused as well. */
export function readRefusal(failure: ModelFailure): Refusal | undefined {
  const read = readTooLong(failure);
  if (read.isTooLong) return read;
  return read.windowTokens === undefined ? undefined : { by: "reply", limitTokens: read.windowTokens };
}
