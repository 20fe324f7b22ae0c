import type { Strata } from "./strata-types.ts";
import type { Block, BlockFold } from "./types.ts";

/** What `palimpsest inspect --html` writes into its file. */
export interface ReportData {
  readonly name: string;
  readonly format: string;
  readonly modelId?: string;
  readonly messages: number;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly kinds: readonly {
    readonly kind: string;
    readonly items: number;
    readonly tokens: number;
    readonly share: number;
  }[];
  readonly contextWindow: number;
  readonly outcome: "unchanged" | "folded" | "cannot-fit";
  readonly strata: Strata;
  readonly content: readonly ReportMessage[];
  readonly standIns: readonly { readonly foldId?: string; readonly content: readonly Block[] }[];
}

export interface ReportMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
  readonly folds?: readonly BlockFold[];
}
