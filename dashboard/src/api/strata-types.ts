export type CellState = "sent" | "cached" | "stand-in" | "hidden" | "restored";

/** Request indexes from first to last, the last included. Where no run covers a request, the message was no part of it. */
export type Run = readonly [first: number, last: number, state: CellState, foldId?: string];

/** One block of a message, over the requests. */
export interface StrataBlock {
  readonly kind: string;
  readonly tokens: number;
  readonly label?: string;
  readonly toolName?: string;
  readonly runs: readonly Run[];
  readonly nowState?: CellState;
  readonly nowFoldId?: string;
}

export interface StrataRow {
  readonly index: number;
  readonly id?: string;
  readonly role: "user" | "assistant";
  readonly kind: string;
  readonly tokens: number;
  readonly label?: string;
  readonly toolName?: string;
  readonly standIn?: true;
  readonly foldId?: string;
  readonly isRewound?: true;
  readonly important?: true;
  /** Where it has more than one. */
  readonly blockCount?: number;
  /** Where they were asked for. */
  readonly blocks?: readonly StrataBlock[];
  readonly runs: readonly Run[];
  /** In the view as it is now: what the next request would show. */
  readonly nowState?: CellState;
  readonly nowFoldId?: string;
}

export interface StrataColumn {
  readonly index: number;
  readonly at: number;
  readonly promptTokens: number;
  /** What folds kept out of it. Missing where nobody folded: in the report of a session file. */
  readonly hiddenTokens?: number;
  readonly cacheReadTokens?: number;
  readonly foldIds: readonly string[];
  readonly reason: string;
}

export interface StrataFold {
  readonly foldId: string;
  /** Missing where the fold no longer holds. */
  readonly kind?: string;
  readonly request?: number;
  readonly cause?: string;
}

/** A window of the matrix of messages and requests. */
export interface Strata {
  readonly version: number;
  readonly messages: { readonly total: number; readonly from: number; readonly rows: readonly StrataRow[] };
  readonly requests: { readonly total: number; readonly from: number; readonly columns: readonly StrataColumn[] };
  readonly folds: readonly StrataFold[];
}
