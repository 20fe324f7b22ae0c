import type { Block } from "./message.ts";

/** The block types of providers' compactions; OpenAI's Codex had other names for its own. */
const COMPACTION_TYPES: ReadonlySet<string> = new Set(["compaction", "compaction_summary", "context_compaction"]);

/**
 * Whether a block is a provider's own compaction: it stands for everything before it, which the provider no longer reads. A compaction whose
 * content is null failed, and stands for nothing.
 */
export function isCompactionBlock(block: Block): boolean {
  if (!COMPACTION_TYPES.has(block.type)) return false;
  const { content, encrypted_content: sealed }: Readonly<Record<string, unknown>> = { ...block };
  return content !== null && (typeof content === "string" || typeof sealed === "string");
}

/** What identifies a compaction that a client sends again: its sealed content, its signature or its text; undefined for any other block. */
export function compactionIdentity(block: Block): string | undefined {
  if (!isCompactionBlock(block)) return undefined;
  const { content, encrypted_content: sealed, signature }: Readonly<Record<string, unknown>> = { ...block };
  const identity = [sealed, signature, content].find((value) => typeof value === "string");
  return typeof identity === "string" ? identity : undefined;
}
