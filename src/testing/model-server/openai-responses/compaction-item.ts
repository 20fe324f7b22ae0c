import { createHash } from "node:crypto";
import type { JsonObject } from "../json.ts";

/** What the provider made of the conversation before it; only its own models can read it. */
export interface CompactionItem {
  readonly type: "compaction";
  readonly id: string;
  readonly encrypted_content: string;
}

export function renderCompaction(serial: number, summary: string): CompactionItem {
  const id = `cmp_${String(serial).padStart(6, "0")}`;
  return { type: "compaction", id, encrypted_content: sealOf(id, summary) };
}

const OWN_SEAL = "palimpsest compaction";

function sealOf(id: string, summary: string): string {
  return Buffer.from([OWN_SEAL, id, digest(id + summary), summary].join("\n")).toString("base64");
}

/** Whether a compaction of this server came back with another content or under another id; those of others cannot be checked. */
export function isForgedCompaction({ id, encrypted_content: sealed }: JsonObject): boolean {
  if (typeof sealed !== "string") return false;
  const [seal, ownId = "", hash, ...summary] = Buffer.from(sealed, "base64").toString("utf8").split("\n");
  if (seal !== OWN_SEAL) return false;
  return hash !== digest(ownId + summary.join("\n")) || (id !== undefined && id !== null && id !== ownId);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
