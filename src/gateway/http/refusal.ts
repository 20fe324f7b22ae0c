import type { ModelFailure } from "../../core/policy/failure-texts.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import type { WireName } from "../../core/ports/wire-adapter.ts";
import { parseJson } from "../../core/transcript/read-json.ts";
import type { Refusal, Turn } from "../turn.ts";
import { codingOf, decodeWhole } from "./content-coding.ts";
import type { ReplyHead } from "./send-upstream.ts";

/** A request with a conversation. */
export interface Conversation {
  readonly api: WireName;
  readonly turn: Turn;
}

/** Why a reply is held back: it may be a refusal, or a stream that may fail before it has said anything. */
export type Examination = "none" | "refusal" | "opening";

const REFUSING: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** Larger answers are no refusals. */
export const MOST_REFUSAL_BYTES = 256 * 1024;

export function examinationOf({ status, headers }: ReplyHead, { api, turn }: Conversation): Examination {
  if (REFUSING.has(status)) return "refusal";
  const mayOpen = api === "openai-responses" && turn.isStreaming && status === 200;
  return mayOpen && isEventStream(headers["content-type"]) ? "opening" : "none";
}

export function isEventStream(contentType: string | undefined): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType ?? "");
}

/** Whether a whole answer refuses a request as too long; undefined where it does not, or cannot be decoded. */
export async function refusalOf({ status, headers }: ReplyHead, bytes: Buffer): Promise<Refusal | undefined> {
  const decoded = await decodeWhole(bytes, codingOf(headers["content-encoding"]), 4 * MOST_REFUSAL_BYTES);
  if (decoded.type !== "decoded") return undefined;
  const text = decoded.bytes.toString("utf8");
  const body = parseJson(text);
  // Of JSON only some fields are read: others may quote the prompt, which says what it likes.
  return readRefusal({ status, message: body === undefined ? text : "", body });
}

/** Undefined where nothing that could be sent instead would be taken. */
export function readRefusal(failure: ModelFailure): Refusal | undefined {
  const read = readTooLong(failure);
  if (read.isTooLong) return read;
  return read.windowTokens === undefined ? undefined : { by: "reply", limitTokens: read.windowTokens };
}
