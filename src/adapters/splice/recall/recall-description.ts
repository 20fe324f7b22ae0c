import type { RecallResult, WireRecall } from "../../../core/ports/wire-recall.ts";

/** What is particular to one wire where a gateway answers calls of its recall tool. */
export interface RecallDescription extends Pick<WireRecall, "offer" | "forbidCalls" | "results" | "relay"> {
  /** Whether an item is the model's own. */
  isReply(item: unknown): boolean;
  /** The item after a reply with more results in it. @default results are items of their own */
  addResults?(item: string, results: readonly RecallResult[]): string;
}
