import { createHash } from "node:crypto";
import type { Answer } from "../answer.ts";
import { isJsonObject, type JsonObject } from "../json.ts";

const OWN_SIGNATURE = "palimpsest-";

/** The signature of a thinking block that this server sends. */
export function signThinking(thinking: string): string {
  return OWN_SIGNATURE + createHash("sha256").update(thinking).digest("base64url");
}

/** Whether a block that this server signed has another text now; signatures of other servers cannot be checked. */
export function isForged({ thinking, signature }: JsonObject): boolean {
  if (typeof thinking !== "string" || typeof signature !== "string") return false;
  return signature.startsWith(OWN_SIGNATURE) && signature !== signThinking(thinking);
}

/** Whether thinking with a budget is on: every tool loop must then start with a thinking block. */
export function hasThinkingBudget(body: JsonObject): boolean {
  return isJsonObject(body.thinking) && body.thinking.type === "enabled";
}

/** The thinking of a reply. With a thinking budget there always is a block, if only one without text. */
export function thinkingOf({ reasoning }: Answer, body: JsonObject): string | undefined {
  return reasoning ?? (hasThinkingBudget(body) ? "" : undefined);
}
