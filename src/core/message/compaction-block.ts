import type { Block } from "./message.ts";

/** What the providers call what they made of a conversation: OpenAI's Codex had other names for it. */
const COMPACTION_TYPES: ReadonlySet<string> = new Set(["compaction", "compaction_summary", "context_compaction"]);

/**
 * Whether a block is a provider's own compaction: it stands for all that came before it, which the provider then does not read. One whose
 * content is null failed, and stands for nothing.
 */
export function isCompactionBlock(block: Block): boolean {
  if (!COMPACTION_TYPES.has(block.type)) return false;
  const { content, encrypted_content: sealed }: Readonly<Record<string, unknown>> = { ...block };
  return content !== null && (typeof content === "string" || typeof sealed === "string");
}

/** What a compaction is known by when it comes back: what the provider sealed, which nobody else can make. */
export function compactionIdentity(block: Block): string | undefined {
  if (!isCompactionBlock(block)) return undefined;
  const { content, encrypted_content: sealed, signature }: Readonly<Record<string, unknown>> = { ...block };
  const identity = [sealed, signature, content].find((value) => typeof value === "string");
  return typeof identity === "string" ? identity : undefined;
}
