import type { Fold } from "../../core/history/list-folds.ts";
import type { MessageSpan } from "../../core/history/restore-span.ts";
import type { Message } from "../../core/message/message.ts";
import type { TooLong } from "../../core/policy/too-long.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import type { ExpandedPage, ExpandOptions } from "../../core/recall/expand-page.ts";
import type { RecallHit } from "../../core/recall/recall-hit.ts";
import type { Statement, StatementHistory } from "../../core/statement/statement.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { ProviderUsage } from "../../core/tokens/provider-usage.ts";
import type { BlockFoldResult } from "../../core/truncate/tool-results.ts";
import type { MessageWire } from "../../messages/wires.ts";
import type { CalibrateOptions, CalibrationOutcome } from "./calibrate.ts";
import type { CheckpointIfDueOptions, CheckpointOptions, SessionCheckpoint } from "./checkpoints.ts";
import type { CondenseByHand } from "./condense-by-hand.ts";
import type { Moment } from "./find-version.ts";
import type { LogHistory } from "./journal/log-history.ts";
import type { LockOptions, MessageLock } from "./message-locks.ts";
import type { PrepareOptions } from "./prepare.ts";
import type { PrepareAsOptions, PreparedPrompt } from "./prepare-prompt.ts";
import type { ReportedProviderClearing } from "./provider-clearing.ts";
import type { EventTypes, Prepared, RecalledExchange, SessionEvent, SessionLineage } from "./report.ts";
import type { StatementPeriod } from "./requests/read-account.ts";
import type { SentRequest } from "./requests/sent-request.ts";
import type { Rewound, SessionRewindOptions } from "./rewind.ts";
import type { SessionExport } from "./session-export.ts";
import type { ModelChoice } from "./session-model.ts";
import type { OutlinedSession, SessionSnapshot } from "./session-snapshot.ts";
import type { MessageChange, UpdateOptions } from "./update-messages.ts";
import type { SessionVerification, VerifyOptions } from "./verify-session.ts";

/** One conversation: a log that only grows, and the view of it that is sent. */
export interface Session {
  readonly id: string;
  /** Adds messages to the end of the log. Resolves when all of them are kept: with a store, when they are durable. */
  append(...messages: readonly Message[]): Promise<void>;
  /** Appends messages only if the session still has this version. Resolves to false, and appends nothing, where anyone changed it since. */
  appendAfter(version: number, ...messages: readonly Message[]): Promise<boolean>;
  /**
   * The view to send now: it fits the window and is valid. Folds what must be folded, and asks a model only where one is configured. The
   * messages have our own format; with `as`, they have the format of a provider's client.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
   * await session.append({ role: "user", content: "Why?" });
   * const { messages, report } = await session.prepare();
   * console.log(messages.length, report.foldIds); // 1 []
   * ```
   */
  // A wrong `as` must fail at the overload below: the compiler tells what is wrong with the last one.
  prepare(options?: PrepareOptions & { readonly as?: undefined }): Promise<Prepared>;
  /**
   * The view to send now, as the prompt to spread into the call of the official client that `as` names, the session's system prompt included; its
   * `report` is not enumerable, so it is not sent.
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
  /**
   * Takes the usage that the provider reported for the view that was prepared last: the next forecast starts from it. The usage may also be
   * the object that the official clients of Anthropic, OpenAI and Gemini return.
   */
  observe(usage: ReportedUsage | ProviderUsage): void;
  /**
   * Takes what the provider's client threw for the view that was prepared last. If the provider refused the view as too long, the next view fits
   * the limit that the error names, or a smaller window where it names none. Any other error, and a refusal by bytes (see `maxViewBytes`),
   * changes nothing. The limit is not stored: it holds for this process.
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
   * Adds a request to the session's statement that `prepare` did not count, such as one that was forwarded unchanged or prepared with
   * `isRequest: false`. Requests that `prepare` and `observe` see are added without this call. Resolves to the outcome of the request's
   * `calibration`, or undefined where it has none.
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
   * Keeps the true exchange behind a reply in which a gateway answered calls of the recall tool: the agent has only the merged reply. The
   * store's `search` finds the exchange by its key. Resolves when it is kept.
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
   * Keeps the keys of a compaction that the provider made, so that the store's `search` finds this session when a request comes back with the
   * compaction in place of the conversation. Resolves when they are kept.
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
   * Keeps which agent started the one that speaks in this session, once for each `scopeId`. The store's `search` finds the session by the
   * lineage's keys. Resolves when it is kept.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "gpt-5" }).session("codex:1/2");
   * await session.recordLineage({ scopeId: "codex:1/2", ownName: "codex:2", parentName: "codex:1", keys: ["l:1"] });
   * console.log((await session.events()).map(({ type }) => type)); // [ 'lineage' ]
   * ```
   */
  recordLineage(lineage: SessionLineage): Promise<void>;
  /**
   * Keeps what the provider itself left out of the newest request, such as old tool results: recall finds it from then on. After `restore` of
   * its fold, the gateway tells the provider to leave it out no longer. The log's messages do not change.
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
   * Hides what the provider itself compacted: everything before its newest compaction block, which the provider does not read. `prepare` does
   * this, too. `restore` shows it again and hides the provider's block instead.
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
  /** Condenses at once, however full the window is. If the result has an `error`, nothing was changed. */
  condense(options?: CondenseByHand): Promise<CondensationResult>;
  /**
   * Shows the tool results of some messages as one-line stubs, in one fold, however full the window is. Results that are pinned, that bind the
   * agent or that are smaller than their stub stay. If the outcome has no `foldId`, nothing was hidden.
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
   * Undoes a fold, or shows a span of messages again, exactly as they were; tool pairs are shown whole. Outside of a span, the folds that hid
   * it go on hiding. If nothing in the span is hidden, nothing is done.
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
  /** Sets log and view, and with `files` the workspace, back to another moment. Nothing is lost: `{ undo: true }` takes the rewind back. */
  rewind(options: SessionRewindOptions): Promise<Rewound>;
  /** Creates a session that begins with this one's log as it is now, or was at a moment. The two sessions are independent afterwards. */
  branch(id: string, moment?: Moment): Promise<Session>;
  /** Changes messages, all of them or none. `change` is called again where someone else changed the log meanwhile, so that no change is lost. */
  update(ids: string | readonly string[], change: MessageChange, options?: UpdateOptions): Promise<readonly Message[]>;
  /** Marks a message as important, or takes the mark back: it stays visible as long as anything else can be hidden instead. */
  mark(messageId: string, mark: { readonly important: boolean }): Promise<void>;
  /** Locks a message against updates by others, in any process. Needs a store. */
  lock(messageId: string, options?: LockOptions): Promise<MessageLock>;
  /** Whether anyone, in any process, holds the lock of a message now. */
  isLocked(messageId: string): Promise<boolean>;
  /** The holder of a message's lock now; undefined where it is not locked. */
  getHolder(messageId: string): Promise<string | undefined>;
  /** Releases a message's lock, whoever holds it; false where it is not locked. */
  unlock(messageId: string): Promise<boolean>;
  /** Saves this moment: the log, the agent's state and, with a workspace, its files. Needs a store. */
  checkpoint(options?: CheckpointOptions): Promise<SessionCheckpoint>;
  /** Saves a checkpoint only where its rules say that one is due; undefined where none is. */
  checkpointIfDue(options?: CheckpointIfDueOptions): Promise<SessionCheckpoint | undefined>;
  /** The checkpoints that are kept, newest first. */
  checkpoints(options?: { readonly limit?: number | undefined }): Promise<readonly SessionCheckpoint[]>;
  /** Searches what folds hide and returns the excerpts that match best, verbatim; `renderRecall` makes a text of them. */
  recall(query: string, options?: SessionRecallOptions): Promise<readonly RecallHit[]>;
  /**
   * Returns what a fold hides, or a message without its folds, one page at a time: pass a page's `next` as `from` for the page after it. Throws
   * "unknown-fold" where the log has no such id. @default pages of 8,000 tokens, and a quarter of the window at most
   */
  expand(id: string, options?: ExpandOptions): Promise<ExpandedPage>;
  /**
   * Keeps in the session how the model counts tokens, for every process that opens the session: either the model's tokens for one of ours, or
   * the usage that it reported for the view as it is now. A report that no tokenizer can have made is refused as "implausible". `observe`, by
   * contrast, holds for this process.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "my-model" }).session("task-42");
   * await session.append({ role: "user", content: "word ".repeat(900) });
   * console.log(await session.calibrate({ inputTokens: 1_400 }), (await session.prepare()).report.promptTokens); // kept 1400
   * ```
   */
  calibrate(known: number | ReportedUsage | ProviderUsage, options?: CalibrateOptions): Promise<CalibrationOutcome>;
  /** Replaces the system prompt or the tools: the next view leaves room for them. What is not named stays. */
  usePrompt(prompt: SessionPrompt): void;
  /** Replaces the model: the next view fits its window. */
  useModel(choice: ModelChoice): void;
  /** The session at one moment. */
  snapshot(): Promise<SessionSnapshot>;
  /**
   * Returns the snapshot without its hidden messages if the session was opened from a saved state that knows enough of them: the result then
   * has an `outline` in place of the log. Otherwise it is what `snapshot` returns.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
   * await session.append({ role: "user", content: "Why does it blink?" });
   * const { log, outline } = await session.outline();
   * console.log(log?.length ?? outline?.messages); // 1
   * ```
   */
  outline(): Promise<SessionSnapshot | OutlinedSession>;
  log(): Promise<readonly Message[]>;
  view(): Promise<readonly Message[]>;
  folds(): Promise<readonly Fold[]>;
  /** The session's events, oldest first. @default events of all types */
  events(types?: EventTypes): Promise<readonly SessionEvent[]>;
  /**
   * Every record of the session, also those that were rewound, and its log at any version.
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
   * What the session's requests cost, and what the same requests would have cost with nothing folded, with a summary at 80 % of the window, and
   * with the cheapest schedule of folds. Requests that were rewound count, too: they were paid.
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
   * The statement request by request and fold by fold: what each request cost and would have cost otherwise, and what each fold earned.
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
  /** The number of the session's records: each message, fold, rewind and event is one. `rewind({ toVersion })` goes back to a version. */
  version(): Promise<number>;
  /** The whole session as plain data, also what was rewound; `engine.importSession` creates a session from it. */
  export(): Promise<SessionExport>;
  /**
   * Reads the session from its store again and checks that every record is what was written, by the hash chain that the records carry, and
   * that the log without its folds is what was appended. Needs a store.
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
  /** Aborts condensations that are running and removes the session from the engine. A store keeps it. */
  close(): void;
}

/** What a session was at its versions. Each session has one such object, which grows with it. */
export type SessionHistory = Pick<LogHistory, "version" | "record" | "logAt" | "pathTo">;

export interface SessionRecallOptions {
  /** The most tokens that all excerpts together may take. @default 1_500 */
  readonly budgetTokens?: number | undefined;
}

/** What is sent with every view. */
export interface SessionPrompt {
  /** Counted as part of every prompt; never touched. @default "" */
  readonly systemPrompt?: string | undefined;
  /** Tool definitions as they are sent; the session only counts them. @default none */
  readonly tools?: readonly unknown[] | undefined;
}

export interface SessionOptions extends SessionPrompt {
  /** The log to start from. @default an empty one */
  readonly messages?: readonly Message[] | undefined;
  /** Which of the configured profile thresholds applies. @default "default" */
  readonly profileId?: string | undefined;
  /** The files that checkpoints save and `rewind({ files: true })` restores: `workspaceCheckpoints({ … })`. @default none */
  readonly workspace?: WorkspaceFiles | undefined;
}
