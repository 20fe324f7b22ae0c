/** What the gateway's API answers, as far as the page shows it. `GET /palimpsest/api/openapi.json` describes all of it. */

export type TokenCategory =
  | "system"
  | "tools"
  | "user"
  | "assistant"
  | "toolResults"
  | "reasoning"
  | "images"
  | "standIns";

export interface RequestTotals {
  readonly requests: number;
  readonly tokensIn: number;
  readonly tokensSent: number;
  readonly folds: number;
  readonly costUsd: number;
}

export interface SessionInfo {
  readonly id: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly totals?: RequestTotals;
  readonly title?: string;
  readonly modelId?: string;
}

export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  readonly nextOffset?: number;
}

export type Relation = "branch" | "sub-agent" | "compaction";

export interface TreeEntry {
  readonly id: string;
  readonly parentId?: string;
  readonly relation?: Relation;
  /** The newest first. */
  readonly rewinds?: readonly SessionRewind[];
}

/** One time that a session went back to what it was before. */
export interface SessionRewind {
  readonly version: number;
  readonly at: number;
  readonly toVersion: number;
  readonly isUndo: boolean;
  readonly messages?: number;
}

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly content?: string | readonly Block[];
}

export interface BlockFold {
  readonly foldId: string;
  readonly kind: string;
  readonly blockIndex: number;
  readonly standIn: Block;
  readonly hiddenTokens: number;
}

export interface Message {
  readonly index?: number;
  readonly id?: string;
  readonly ts?: number;
  readonly role: "user" | "assistant";
  readonly content: string | readonly Block[];
  readonly tokens: number;
  readonly important?: boolean;
  readonly hiddenBy?: string;
  readonly standsFor?: { readonly foldId: string; readonly kind: string };
  readonly folds?: readonly BlockFold[];
  readonly isRewound?: boolean;
}

export interface Fold {
  readonly foldId: string;
  readonly kind: string;
  readonly messages: number;
  readonly blocks: number;
  readonly at?: number;
  readonly prevContextTokens?: number;
  readonly newContextTokens?: number;
}

export interface ExpandedFold extends Fold {
  /** What is sent in place of what it hides: summaries and markers. */
  readonly standIns: readonly Message[];
  readonly hidden: readonly Message[];
  readonly total: number;
  readonly nextAfter?: number;
}

export interface Usage {
  readonly inputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens?: number;
}

export interface Decision {
  readonly policy: string;
  readonly reason: string;
  readonly numbers?: Readonly<Record<string, number>>;
  readonly sentence: string;
}

export interface RequestEntry {
  readonly index: number;
  readonly at: number;
  readonly modelId: string;
  readonly version: number;
  readonly contextWindow: number;
  readonly allowedTokens: number;
  readonly promptTokens: number;
  readonly tokens: Readonly<Partial<Record<TokenCategory, number>>>;
  readonly hiddenTokens: number;
  readonly arrivedTokens: number;
  readonly rereadTokens?: number;
  readonly foldIds: readonly string[];
  readonly decision: Decision;
  readonly usage?: Usage;
  readonly costUsd?: number;
  readonly condenseUsd: number;
  readonly cachedShare?: number;
  readonly body:
    | { readonly isKept: true; readonly bytes: number; readonly wire: string; readonly isAsItCame: boolean }
    | { readonly isKept: false; readonly reason: string };
}

export interface RequestPage {
  readonly requests: readonly RequestEntry[];
  readonly total: number;
  readonly nextAfter?: number;
}

export interface NextRequestPrice {
  readonly cachedUsd?: number;
  readonly coldUsd?: number;
}

export type BarCategory = TokenCategory | "free" | "reserved";

export interface Now {
  readonly version: number;
  readonly modelId?: string;
  /** Missing before the first request, as is all that depends on a model. */
  readonly contextWindow?: number;
  readonly allowedTokens?: number;
  readonly promptTokens: number;
  readonly bar: readonly { readonly category: BarCategory; readonly tokens: number }[];
  readonly turnsLeft?: number;
  readonly growthTokens: number;
  readonly nextRequest: NextRequestPrice;
  readonly last?: RequestEntry;
}

/** What the next request costs more, were something shown again. */
export interface RestorePrice {
  readonly tokens: number;
  readonly promptTokens: number;
  readonly allowedTokens?: number;
  readonly fits?: boolean;
  readonly modelId?: string;
  readonly extraUsd: { readonly cached?: number; readonly cold?: number };
}

/** Why a request was not read from the provider's cache as far as the one before it: what the provider says, and what we say. */
export interface CacheDiagnosis {
  readonly provider?: { readonly reason: string; readonly missedTokens?: number };
  readonly predicted?: {
    readonly part: "model" | "tools" | "system" | "messages";
    readonly byte: number;
    readonly cause: "agent" | "gateway";
  };
}

export interface RequestDiff {
  readonly a: number;
  readonly b: number;
  readonly isSame: boolean;
  readonly sharedBytes: number;
  readonly bytes: { readonly a: number; readonly b: number };
  readonly sharedTokens: number;
  readonly first?: {
    readonly byte: number;
    readonly a: string;
    readonly b: string;
    readonly where: "fields" | "message" | "end";
    readonly field?: string;
    readonly item?: number;
    readonly messageId?: string;
    readonly messageIndex?: number;
    readonly role?: string;
  };
  readonly cause: "agent" | "us" | "provider" | "none";
  readonly foldId?: string;
  readonly provider?: { readonly cacheReadTokens: number; readonly expectedTokens: number };
  readonly diagnosis?: CacheDiagnosis;
  readonly sentence: string;
}

export interface Finding {
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly tokens: number;
  readonly usd?: number;
  /** Whether it costs that with each further request, or has cost it so far. */
  readonly per?: "request" | "session";
  readonly messageIds: readonly string[];
  readonly foldIds: readonly string[];
  /** Of tools or files. */
  readonly names: readonly string[];
  readonly action?: { readonly label: string; readonly method: "POST"; readonly path: string; readonly body: object };
  readonly noAction?: string;
}

export interface SearchHit {
  readonly sessionId: string;
  readonly messageId?: string;
  readonly role: "user" | "assistant";
  readonly kind: string;
  readonly toolName?: string;
  readonly text: string;
  /** Its row in Strata, and how it is there now; missing where nobody looked. */
  readonly row?: number;
  readonly state?: "shown" | "stand-in" | "hidden" | "rewound";
}

export interface Rewound {
  readonly version: number;
  readonly toVersion: number;
  readonly messagesRemoved: number;
  readonly files?: {
    readonly changed: readonly { readonly path: string; readonly type: "written" | "removed" }[];
    readonly kept: readonly { readonly path: string; readonly reason: string }[];
  };
}
