import { tryParseJson } from "../../core/json/parse-json.ts";
import type { ModelFailure } from "../../core/policy/failure-texts.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import type { Refusal, Turn } from "../turn.ts";
import { codingOf, decodeWhole } from "./content-coding.ts";
import type { ReplyHead } from "./send-upstream.ts";

/** Why a reply is held back: its status is that of a refusal, or it is a stream that may still fail before its first content. */
export type Examination = "none" | "refusal" | "opening";

const REFUSING: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** A larger reply is not taken for a refusal. */
export const MOST_REFUSAL_BYTES = 256 * 1024;
/** Large, because the opening events of a Responses stream repeat system prompt and tools, more than once. */
export const MOST_OPENING_BYTES = 8 * 1024 * 1024;

/** Returns why a reply to the turn's request must be held back. */
export function examinationOf({ status, headers }: ReplyHead, { isStreaming }: Turn): Examination {
  if (REFUSING.has(status)) return "refusal";
  // In a stream that cannot be decoded, the first content cannot be recognised.
  const isReadable = codingOf(headers["content-encoding"]) !== "unknown";
  return isStreaming && status === 200 && isReadable ? "opening" : "none";
}

export function isEventStream(contentType: string | undefined): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType ?? "");
}

/** Reads a whole reply as a refusal of the request as too long. Returns undefined if it is none, or cannot be decoded. */
export async function refusalOf({ status, headers }: ReplyHead, bytes: Buffer): Promise<Refusal | undefined> {
  const decoded = await decodeWhole(bytes, codingOf(headers["content-encoding"]), {
    maxBytes: 4 * MOST_REFUSAL_BYTES,
  });
  if (decoded.type !== "decoded") return undefined;
  const text = decoded.bytes.toString("utf8");
  const body = tryParseJson(text);
  // Only known fields of JSON are read: others may quote the prompt, which can contain the words of a refusal.
  return readRefusal({ status, message: body === undefined ? text : "", body });
}

/** Reads a failure as a refusal of the request as too long. Returns undefined if a shorter request would be refused as well. */
export function readRefusal(failure: ModelFailure): Refusal | undefined {
  const tooLong = readTooLong(failure);
  if (tooLong.isTooLong) return tooLong;
  return tooLong.windowTokens === undefined ? undefined : { by: "reply", limitTokens: tooLong.windowTokens };
}
