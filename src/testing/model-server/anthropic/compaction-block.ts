import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Compaction } from "../wire-protocol.ts";

/** A summary of the conversation before it. Only one that a request asked for with `compaction` is signed. */
export type CompactionBlock =
  | { readonly type: "compaction"; readonly content: string | null; readonly encrypted_content: string | null }
  | {
      readonly type: "compaction";
      readonly content: string | null;
      readonly encrypted_content: null;
      readonly signature: string;
      readonly tool_changes: readonly JsonObject[];
    };

const OWN_SEAL = "palimpsest-compaction-";

export function renderCompaction({ summary }: Compaction, { compaction }: JsonObject): CompactionBlock {
  const block = { type: "compaction", content: summary } as const;
  return isJsonObject(compaction)
    ? { ...block, encrypted_content: null, signature: sealOf(summary), tool_changes: [] }
    : { ...block, encrypted_content: sealOf(summary) };
}

function sealOf(summary: string): string {
  return OWN_SEAL + createHash("sha256").update(summary).digest("base64url");
}

/** Whether the block has a summary: that of a failed compaction has none, and is ignored. */
export function isEffective({ type, content }: JsonObject): boolean {
  return type === "compaction" && typeof content === "string";
}

/** Whether the block was made on request: it replaces the messages that it summarizes. */
export function isSigned({ signature }: JsonObject): boolean {
  return typeof signature === "string";
}

/** The field that was changed in a block of this server; undefined where none was. Blocks of other servers cannot be checked. */
export function forgeryIn({ content, encrypted_content, signature, tool_changes }: JsonObject): string | undefined {
  for (const seal of [encrypted_content, signature]) {
    if (typeof seal !== "string" || !seal.startsWith(OWN_SEAL)) continue;
    if (typeof content !== "string" || seal !== sealOf(content)) return "content";
  }
  const isChanged = typeof signature === "string" && !(Array.isArray(tool_changes) && tool_changes.length === 0);
  return isChanged ? "tool_changes" : undefined;
}
