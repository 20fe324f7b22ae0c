import type { Fold } from "../../core/history/list-folds.ts";
import type { MessageSpan } from "../../core/history/restore-span.ts";
import type { Message } from "../../core/message/message.ts";
import type { TooLong } from "../../core/policy/too-long.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import type { ExpandedPage, ExpandOptions } from "../../core/recall/expand-page.ts";
import type { RecallHit } from "../../core/recall/recall-hit.ts";
import type { CacheDiagnosis } from "../../core/statement/cache-diagnosis.ts";
import type { Statement, StatementHistory } from "../../core/statement/statement.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { ProviderUsage } from "../../core/tokens/provider-usage.ts";
import type { BlockFoldResult } from "../../core/truncate/tool-results.ts";
import type { MessageWire } from "../../messages/wires.ts";
import type { CheckpointIfDueOptions, CheckpointOptions, SessionCheckpoint } from "./checkpoints.ts";
import type { CondenseByHand } from "./condense-by-hand.ts";
import type { Moment } from "./find-version.ts";
import type { LogHistory } from "./journal/log-history.ts";
import type { LockOptions, MessageLock } from "./message-locks.ts";
import type { PrepareOptions } from "./prepare.ts";
import type { PrepareAsOptions, PreparedPrompt } from "./prepare-prompt.ts";
import type { KnownForecast } from "./prompt-meter.ts";
import type { PromptOverhead } from "./prompt-state.ts";
import type { Prepared, RecalledExchange, SessionEvent } from "./report.ts";
import type { Rewound, SessionRewindOptions } from "./rewind.ts";
import type { SessionExport } from "./session-export.ts";
import type { ModelChoice } from "./session-model.ts";
import type { MessageChange } from "./update-messages.ts";
import type { SessionVerification, VerifyOptions } from "./verify-session.ts";

/** One conversation: a log that only grows, and the view of it that is sent. */
export interface Session {
  readonly id: string;
  /** Resolves when all of them are kept: with a store, when they are durable. */
  append(...messages: readonly Message[]): Promise<void>;
  /** The same, but only where nothing was done to the session since that version, by anyone; false where something was. */
  appendAfter(version: number, ...messages: readonly Message[]): Promise<boolean>;
  /**
   * The view to send now: it fits and is valid. Folds what must be folded; asks a model only where one is configured. With `as`, the prompt
   * to spread into the official client's call, the session's system prompt included; its `report` is not enumerable, so it is not sent.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42", { systemPrompt: "Be brief." });
   * await session.append({ role: "user", content: "Why?" });
   * const prompt = await session.prepare({ as: "anthropic" });
   * console.log({ ...prompt }, prompt.report.foldIds); // { system: 'Be brief.', messages: [ { role: 'user', content: 'Why?' } ] } []
   * ```
   */
  prepare<Wire extends MessageWire>(options: PrepareAsOptions<Wire>): Promise<PreparedPrompt<Wire>>;
  prepare(options?: PrepareOptions): Promise<Prepared>;
  /**
   * Tells what the provider reported for the view that was prepared last: the next forecast starts from it. Takes the usage as the
   * official clients of Anthropic, OpenAI and Gemini give it, too.
   */
  observe(usage: ReportedUsage | ProviderUsage): void;
  /**
   * Tells what the provider's client threw for the view that was prepared last: where that was too long, the next view fits what the provider
   * takes, as far as it says so. What is no such refusal, and one by bytes (see `maxViewBytes`), changes nothing. For this process alone.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "my-model" }).session("task-42");
   * await session.append({ role: "user", content: "word ".repeat(9_000) });
   * const { report } = await session.prepare();
   * session.observeError(new Error("prompt is too long: 9001 tokens > 8000 maximum"));
   * console.log(report.contextWindow, (await session.prepare()).report.contextWindow); // 200000 8000
   * ```
   */
  observeError(error: unknown): TooLong;
  /**
   * Adds a request to the session's statement that was not prepared here, such as one that went as it came. For whoever prepares with
   * `isRequest: false`; what `prepare` and `observe` see is added by itself. Resolves to what came of its `calibration`, where it has one.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
   * await session.append({ role: "user", content: "Why does it blink?" });
   * await session.recordRequest({ usage: { inputTokens: 1_000, outputTokens: 10 } });
   * const [request] = await session.events();
   * console.log(request?.type === "request" && request.costUsd); // 0.00315
   * ```
   */
  recordRequest(request?: SentRequest): Promise<CalibrationOutcome | undefined>;
  /**
   * Keeps what was really said in place of a reply as an agent has it: a gateway answered calls of the recall tool within it. The store's
   * `search` finds it by its key. Resolves when it is kept.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
   * await session.recordRecall({ key: "r:1", api: "anthropic", items: ['{"role":"assistant","content":"Lamp 3."}'], results: [] });
   * console.log((await session.events()).map(({ type }) => type)); // [ 'recalled' ]
   * ```
   */
  recordRecall(exchange: RecalledExchange): Promise<void>;
  /**
   * Keeps by which keys a compaction of the provider's is known when it comes back as all that is left of this conversation. The store's
   * `search` finds the session by them. Resolves when they are kept.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "gpt-5" }).session("task-42");
   * await session.recordCompaction(["c:1"]);
   * console.log((await session.events()).map(({ type }) => type)); // [ 'compacted' ]
   * ```
   */
  recordCompaction(keys: readonly string[]): Promise<void>;
  /**
   * Keeps what the provider left out of the newest request by itself, such as old results of tools: recall finds it from then on. `restore` of
   * its fold says that it is to be left out no longer, which the gateway tells the provider; nothing of the log changes.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-opus-4-6" }).session("task-42");
   * await session.append({ role: "user", content: "Read a.ts." }, { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: {} }] });
   * await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Lamp 3 is red." }] });
   * await session.recordClearing({ toolUseIds: ["t1"] });
   * console.log((await session.recall("lamp 3")).map(({ text, foldId }) => `${foldId}: ${text}`)); // [ 'provider-clear-results: Lamp 3 is red.' ]
   * ```
   */
  recordClearing(clearing: ReportedProviderClearing): Promise<void>;
  /**
   * Hides what the provider compacted by itself: all before its newest compaction block, which the provider does not read. `prepare` does it,
   * too; `restore` shows it again, and hides the provider's block instead.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-opus-4-6" }).session("task-42");
   * const compaction = { type: "compaction", content: "They read all files.", encrypted_content: "sealed" };
   * await session.append({ role: "user", content: "Read all files." }, { role: "assistant", content: [compaction] });
   * await session.hideCompacted();
   * console.log((await session.folds()).map(({ kind, messages }) => `${kind} ${messages}`)); // [ 'condense 1' ]
   * ```
   */
  hideCompacted(): Promise<void>;
  /** Condenses by hand, at any fill. With `error`, nothing was changed. */
  condense(options?: CondenseByHand): Promise<CondensationResult>;
  /**
   * Shows the tool results of some messages as one-line stubs, in one fold, at any fill. What is pinned or binds the agent stays, as does
   * what is smaller than its stub; without a `foldId`, nothing was hidden.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
   * const call = { type: "tool_use", id: "t1", name: "read_file", input: { path: "a.ts" } } as const;
   * const result = { type: "tool_result", tool_use_id: "t1", content: "a line of code\n".repeat(300) } as const;
   * await session.append({ role: "user", content: "Read a.ts." }, { role: "assistant", content: [call] });
   * await session.append({ id: "m3", role: "user", content: [result] });
   * const { blocks } = await session.clearResults(["m3"]);
   * console.log(blocks, (await session.folds()).map(({ kind }) => kind)); // 1 [ 'clear' ]
   * ```
   */
  clearResults(messageIds: readonly string[]): Promise<BlockFoldResult>;
  /**
   * Undoes a fold, or shows the messages from one to another again: whole tool pairs, exactly as they were. Of a span, the rest of the
   * folds that hid it stays hidden; where nothing of it is hidden, nothing is done.
   * @example
   * ```ts
   * import { createEngine, type Message } from "palimpsest";
   * const messages = Array.from({ length: 40 }, (_, at): Message => ({ id: `m${at}`, role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(200) }));
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42", { messages });
   * await session.condense();
   * await session.restore({ from: "m10", to: "m11" });
   * console.log((await session.view()).some(({ id }) => id === "m11")); // true
   * ```
   */
  restore(target: string | MessageSpan): Promise<void>;
  /** Makes log and view, and if wanted the files, what they were at another moment. Nothing is lost: `{ undo: true }` comes back. */
  rewind(options: SessionRewindOptions): Promise<Rewound>;
  /** A new session that begins with this one's log as it is, or was at a moment. They go their own ways from there. */
  branch(id: string, moment?: Moment): Promise<Session>;
  /** Changes messages, all or none, and never over someone else's change; `change` may be asked more than once. */
  update(ids: string | readonly string[], change: MessageChange, options?: UpdateOptions): Promise<readonly Message[]>;
  /** Marks a message as one that stays visible as long as anything else can be hidden instead, or takes that back. */
  mark(messageId: string, mark: { readonly important: boolean }): Promise<void>;
  /** Keeps others, in any process, from updating a message. Needs a store. */
  lock(messageId: string, options?: LockOptions): Promise<MessageLock>;
  /** Whether anyone, in any process, holds the lock of a message now; it may be released a moment later. */
  isLocked(messageId: string): Promise<boolean>;
  /** Who holds the lock of a message now; undefined where nobody does. */
  getHolder(messageId: string): Promise<string | undefined>;
  /** Takes the lock from whoever holds it; false where nobody does. */
  unlock(messageId: string): Promise<boolean>;
  /** Keeps this moment: the log, the agent's state and, with a workspace, its files. Needs a store. */
  checkpoint(options?: CheckpointOptions): Promise<SessionCheckpoint>;
  /** The same, but only where one is due; otherwise undefined. */
  checkpointIfDue(options?: CheckpointIfDueOptions): Promise<SessionCheckpoint | undefined>;
  /** The newest come first. */
  checkpoints(options?: { readonly limit?: number | undefined }): Promise<readonly SessionCheckpoint[]>;
  /** Searches what folds hide, and gives the excerpts that match best, word for word; `renderRecall` makes a text of them. */
  recall(query: string, options?: SessionRecallOptions): Promise<readonly RecallHit[]>;
  /**
   * A fold or a message as it was before any fold, in pages that fit: pass a page's `next` as `from` for the next one. Throws
   * "unknown-fold" where the log has no such id. @default pages of 8,000 tokens, and a quarter of the window at most
   */
  expand(id: string, options?: ExpandOptions): Promise<ExpandedPage>;
  /**
   * Keeps in the session what is known of its model's tokens, for all who have it open, now and later: how many it makes of one of ours, or
   * what it reported for the view as it is now. A report that no tokenizer can have made teaches nothing. `observe` is for this process alone.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "my-model" }).session("task-42");
   * await session.append({ role: "user", content: "word ".repeat(900) });
   * console.log(await session.calibrate({ inputTokens: 1_400 }), (await session.prepare()).report.promptTokens); // kept 1400
   * ```
   */
  calibrate(known: number | ReportedUsage | ProviderUsage, options?: CalibrateOptions): Promise<CalibrationOutcome>;
  /** Goes on with another system prompt or other tools: the next view fits beside them. What is not named stays. */
  usePrompt(prompt: SessionPrompt): void;
  /** Goes on with another model: the next view fits its window. */
  useModel(choice: ModelChoice): void;
  /** The session at one moment. */
  snapshot(): Promise<SessionSnapshot>;
  log(): Promise<readonly Message[]>;
  view(): Promise<readonly Message[]>;
  folds(): Promise<readonly Fold[]>;
  /** What happened, in order. */
  events(): Promise<readonly SessionEvent[]>;
  /**
   * All that was ever done to the session, also what was rewound, and its log at any of its versions.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
   * await session.append({ role: "user", content: "One." }, { role: "assistant", content: "Two." });
   * const history = await session.history();
   * console.log(history.version(), history.logAt(1).length); // 2 1
   * ```
   */
  history(): Promise<SessionHistory>;
  /**
   * What the session's requests cost, and what the same ones would have cost otherwise: with nothing folded, with a summary at 80 % of the
   * window, and at best. Requests that were rewound are part of it, as they were paid.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
   * await session.append({ role: "user", content: "Why does it blink?" });
   * await session.prepare();
   * session.observe({ inputTokens: 1_000, outputTokens: 10 });
   * const { requests, spentUsd, savedUsd } = await session.statement();
   * console.log(requests, spentUsd, savedUsd.againstNothing); // 1 0.00315 0
   * ```
   */
  statement(options?: StatementPeriod): Promise<Statement>;
  /**
   * The same, request by request and fold by fold: what each cost, what it would have cost otherwise, and what each fold earned.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
   * await session.append({ role: "user", content: "Why does it blink?" });
   * await session.prepare();
   * session.observe({ inputTokens: 1_000, outputTokens: 10 });
   * const { requests, folds } = await session.statementHistory();
   * console.log(requests[0]?.spentUsd, folds.length); // 0.00315 0
   * ```
   */
  statementHistory(): Promise<StatementHistory>;
  /** How many things were done to the session: each append, fold, rewind and event counts. `rewind({ toVersion })` goes back to one. */
  version(): Promise<number>;
  /** All of it as plain data, also what was rewound; `engine.importSession` makes a session of it again. */
  export(): Promise<SessionExport>;
  /**
   * Reads the session from its store again and proves that every record is what was written, and that without its folds the log is what was
   * said: by a hash chain over all records, which they themselves carry. Needs a store.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * import { memoryStore } from "palimpsest/stores/memory";
   * const session = await createEngine({ model: "claude-sonnet-4-5", store: memoryStore() }).session("task-42");
   * await session.append({ role: "user", content: "Fix the login test." });
   * const verified = await session.verify();
   * console.log(verified.type, verified.records); // intact 1
   * ```
   */
  verify(options?: VerifyOptions): Promise<SessionVerification>;
  /** Ends what is still being condensed. The engine forgets the session; a store keeps it. */
  close(): void;
}

/** What a session was at its versions. Of one session it is always the same object, and grows with it. */
export type SessionHistory = Pick<LogHistory, "version" | "record" | "logAt" | "pathTo">;

/** What a provider says that it left out of the newest request. */
export interface ReportedProviderClearing {
  /** The calls whose results the provider left out. */
  readonly toolUseIds: readonly string[];
  /** Whether it left out what these calls were made with, too. @default false */
  readonly hidesInputs?: boolean | undefined;
  /** How many messages lost their thoughts, the oldest first. @default 0 */
  readonly thoughts?: number | undefined;
}

/** Which requests a statement is about. */
export interface StatementPeriod {
  /** Those from this moment on, in milliseconds since the epoch. @default all */
  readonly since?: number | undefined;
}

/** A request that was sent with the log as it is. */
export interface SentRequest {
  /** When, in milliseconds since the epoch. @default now */
  readonly at?: number | undefined;
  /** The usage as the provider reported it. @default no report came */
  readonly usage?: ReportedUsage | ProviderUsage | undefined;
  /** The size of the prompt, where that is not the session's view now. @default as the session foretells it for its view */
  readonly promptTokens?: number | undefined;
  /** The number of messages that the log had when the request was sent: where it still has so many, its view is what was sent, whatever `promptTokens` says. */
  readonly messageCount?: number | undefined;
  /** Why the provider's cache missed, where that is known. @default unknown */
  readonly cacheDiagnosis?: CacheDiagnosis | undefined;
  /** What to keep of its usage as `calibrate` does, in the same write. Nothing is, unless the log still has `messageCount` messages. @default nothing */
  readonly calibration?:
    | { readonly usage: ReportedUsage | ProviderUsage; readonly from?: CalibrateOptions["from"] }
    | undefined;
  /** What was sent, to show it later as it was. Kept in the store, each piece once. @default it is not kept */
  readonly body?: SentBody | undefined;
}

/** The body of a request. Headers are no part of it: keys are never kept. */
export interface SentBody {
  /** The API that it is for, such as "anthropic". */
  readonly wire: string;
  /** The bytes as they were sent; they must not be changed afterwards. */
  readonly bytes: Uint8Array;
  /** Whether it is what the agent sent, byte for byte. @default false */
  readonly isAsItCame?: boolean | undefined;
}

/** Whether it was kept: not where the report is implausible, nor where others wrote to the session since. */
export type CalibrationOutcome = "kept" | "implausible" | "outdated";

export interface CalibrateOptions {
  /**
   * From when on it holds. With "next-message", the view of what was said so far stays as it was decided: a request that is sent again is
   * the same, also after a restart. @default "now"
   */
  readonly from?: "now" | "next-message" | undefined;
  /** Only where nothing was done to the session since that version. @default whatever was done */
  readonly version?: number | undefined;
}

export interface UpdateOptions extends LockOptions {
  /** Whether the messages are locked meanwhile. Without, `change` must see for itself that they are still the ones. @default true */
  readonly locks?: boolean | undefined;
}

/** What a session is at one moment: later changes do not show. */
export interface SessionSnapshot {
  readonly version: number;
  readonly log: readonly Message[];
  readonly view: readonly Message[];
  /** For prompts with this view, by what `calibrate` kept on the session's model; what was only observed is not in it. */
  readonly forecast: KnownForecast;
  /** The same, from the next message on. */
  readonly nextForecast: KnownForecast;
  /** Our count of the system prompt and of the tool definitions that both are for. */
  readonly overhead: PromptOverhead;
  /** The model's tokens for one of ours in both of them. */
  readonly tokenRatio: number;
  readonly nextTokenRatio: number;
  /** Whether tools were sent with a prompt whose report `calibrate` kept; undefined where it kept none. */
  readonly hasTools: boolean | undefined;
}

export interface SessionRecallOptions {
  /** What the excerpts may take. @default 1_500 */
  readonly budgetTokens?: number | undefined;
}

/** What is sent beside the view. */
export interface SessionPrompt {
  /** Counted as part of every prompt; never touched. @default "" */
  readonly systemPrompt?: string | undefined;
  /** Tool definitions as they are sent; only counted. @default none */
  readonly tools?: readonly unknown[] | undefined;
}

export interface SessionOptions extends SessionPrompt {
  /** The log to start from. @default an empty one */
  readonly messages?: readonly Message[] | undefined;
  /** Which of the configured profile thresholds applies. @default "default" */
  readonly profileId?: string | undefined;
  /** The files that checkpoints keep and `rewind({ files: true })` moves: `workspaceCheckpoints({ … })`. @default none */
  readonly workspace?: WorkspaceFiles | undefined;
}
