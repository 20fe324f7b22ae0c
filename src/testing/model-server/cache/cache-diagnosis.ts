import type { PromptBlock } from "../prompt.ts";
import type { WireRequest } from "../wire-protocol.ts";
import { promptChain } from "./prompt-chain.ts";

/** The difference between a request and the one with which it is compared. */
export type CacheDiagnosis =
  | { readonly type: "same" }
  | { readonly type: "not-found" }
  | { readonly type: "changed"; readonly part: ChangedPart; readonly missedTokens: number };

export type ChangedPart = "model" | "system" | "tools" | "messages";

/** Remembers requests by the ids of their replies, and compares later ones with them. */
export interface CacheDiagnoses {
  remember(replyId: string, request: WireRequest): void;
  compare(replyId: string, request: WireRequest): CacheDiagnosis;
}

interface Fingerprint {
  readonly modelId: string;
  readonly tools: readonly string[];
  readonly system: readonly string[];
  readonly messages: readonly string[];
  readonly tokens: number;
}

export function cacheDiagnoses(): CacheDiagnoses {
  const fingerprints = new Map<string, Fingerprint>();
  return {
    remember: (replyId, request) => void fingerprints.set(replyId, fingerprintOf(request)),
    compare(replyId, request) {
      const before = fingerprints.get(replyId);
      if (before === undefined) return { type: "not-found" };
      const now = fingerprintOf(request);
      const part = changedPart(before, now);
      return part === undefined ? { type: "same" } : { type: "changed", part, missedTokens: before.tokens };
    },
  };
}

/** The first part that differs, in the order in which providers report them. */
function changedPart(before: Fingerprint, now: Fingerprint): ChangedPart | undefined {
  if (before.modelId !== now.modelId) return "model";
  if (before.system.join() !== now.system.join()) return "system";
  if (before.tools.join() !== now.tools.join()) return "tools";
  return before.messages.every((hash, index) => hash === now.messages[index]) ? undefined : "messages";
}

function fingerprintOf({ modelId, blocks, windowTokens }: WireRequest): Fingerprint {
  const hashesOf = (isWanted: (block: PromptBlock) => boolean) =>
    promptChain(blocks.filter(isWanted)).map(({ hash }) => hash);
  return {
    modelId,
    tools: hashesOf(({ role }) => role === "tools"),
    system: hashesOf(({ role }) => role === "system"),
    messages: hashesOf(({ role }) => role !== "tools" && role !== "system"),
    tokens: windowTokens,
  };
}
