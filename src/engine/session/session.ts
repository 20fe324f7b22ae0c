import { demand, demandArray, demandObject } from "../../core/demand.ts";
import { type Fold, listFolds } from "../../core/history/list-folds.ts";
import { restoreMessages } from "../../core/history/restore.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { createRecallIndex, type RecallIndex } from "../../core/recall/recall-index.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { createBackOff, createLocalBackOff } from "../condense/back-off.ts";
import type { CondensationPorts } from "../condense/run-condensation.ts";
import { createBackground } from "./background.ts";
import { type CondenseByHand, condenseByHand } from "./condense-by-hand.ts";
import type { LiveSession } from "./live-session.ts";
import { createPrepare, type PrepareOptions } from "./prepare.ts";
import { createPromptMeter } from "./prompt-meter.ts";
import { createQueue } from "./queue.ts";
import { createRentMeter } from "./rent-meter.ts";
import type { Prepared, SessionEvent } from "./report.ts";
import { createSessionLog } from "./session-log.ts";
import { type ModelChoice, resolveModel } from "./session-model.ts";

/** One conversation: a log that only grows, and the view of it that is sent. */
export interface Session {
  readonly id: string;
  append(...messages: readonly Message[]): Promise<void>;
  /** The view to send now: it fits and is valid. Folds what must be folded; asks a model only where one is configured. */
  prepare(options?: PrepareOptions): Promise<Prepared>;
  /** Tells what the provider reported for the view that was prepared last: the next forecast starts from it. */
  observe(usage: ReportedUsage): void;
  /** Condenses by hand, at any fill. With `error`, nothing was changed. */
  condense(options?: CondenseByHand): Promise<CondensationResult>;
  /** Undoes a fold: what it hid is visible again. */
  restore(foldId: string): Promise<void>;
  /** Searches what folds hide, and gives the excerpts that match best, word for word; `renderRecall` makes a text of them. */
  recall(query: string, options?: SessionRecallOptions): Promise<readonly RecallHit[]>;
  /** The whole of a fold or a message, as it was before any fold. */
  expand(id: string): Promise<readonly Message[]>;
  /** Goes on with another model: the next view fits its window. */
  useModel(choice: ModelChoice): void;
  log(): Promise<readonly Message[]>;
  view(): Promise<readonly Message[]>;
  folds(): Promise<readonly Fold[]>;
  /** What happened, in order. */
  events(): Promise<readonly SessionEvent[]>;
  /** Ends what is still being condensed. The engine forgets the session: the next one with this id is a new one. */
  close(): void;
}

export interface SessionRecallOptions {
  /** What the excerpts may take. @default 1_500 */
  readonly budgetTokens?: number | undefined;
}

export interface SessionOptions {
  /** The log to start from. @default an empty one */
  readonly messages?: readonly Message[] | undefined;
  /** Counted as part of every prompt; never touched. @default "" */
  readonly systemPrompt?: string | undefined;
  /** Tool definitions as they are sent; only counted. @default none */
  readonly tools?: readonly unknown[] | undefined;
  /** Which of the configured profile thresholds applies. @default "default" */
  readonly profileId?: string | undefined;
}

/** What a session needs of its engine. */
export interface SessionPorts {
  readonly condensation: CondensationPorts;
  readonly registry: ModelRegistry;
  readonly countTokens: CountTokens;
  /** Told when the session is closed. */
  readonly closed?: () => void;
}

const DEFAULT_RECALL_TOKENS = 1_500;

export function createSession(
  id: string,
  choice: ModelChoice,
  { ports, options }: { readonly ports: SessionPorts; readonly options: SessionOptions },
): Session {
  const { messages = [], systemPrompt = "", tools = [], profileId = "default" } = options;
  demand(typeof systemPrompt === "string", "options.systemPrompt", systemPrompt, "a string");
  demandArray("options.tools", tools);
  demand(typeof profileId === "string", "options.profileId", profileId, "a string");
  const { countTokens, registry } = ports;
  const overheadTokens = countTextTokens(systemPrompt) + (tools.length === 0 ? 0 : countTextTokens(serialize(tools)));
  const log = createSessionLog(messages, countTokens);
  const inTurn = createQueue();
  const events: SessionEvent[] = [];
  let model = resolveModel(choice, registry);
  let meter = createPromptMeter({ ...model, countTokens, overheadTokens });
  const closing = new AbortController();
  /** One index per log: a log that was folded or grown is another array. */
  let searched: { readonly messages: readonly Message[]; readonly index: RecallIndex } | undefined;
  const recallIndex = () => {
    const messages = log.messages();
    if (searched?.messages !== messages) searched = { messages, index: createRecallIndex(messages, { countTokens }) };
    return searched.index;
  };
  const live: LiveSession = {
    id,
    systemPrompt,
    profileId,
    log,
    countTokens,
    backOff: createBackOff(),
    localBackOff: createLocalBackOff(),
    rent: createRentMeter(),
    model: () => model,
    meter: () => meter,
    ports: ports.condensation,
    closeSignal: closing.signal,
    record: (event) => events.push(event),
  };
  const background = createBackground(live);
  const prepare = createPrepare(live, background);

  return {
    id,
    append: async (...added) => {
      if (log.append(added)) meter.rewritten();
    },
    prepare: (prepareOptions = {}) => inTurn(() => prepare(prepareOptions)),
    observe: (usage) => {
      demandObject("usage", usage);
      meter.observe(usage);
    },
    condense: (byHand = {}) => inTurn(() => condenseByHand(live, background, byHand)),
    restore: (foldId) =>
      inTurn(async () => {
        const base = log.state();
        log.commit(base, restoreMessages(base.messages, foldId));
        meter.rewritten();
        events.push({ type: "restored", at: ports.condensation.now(), foldId });
      }),
    recall: async (query, { budgetTokens = DEFAULT_RECALL_TOKENS } = {}) =>
      recallIndex().recall(query, { budgetTokens }),
    expand: async (id) => recallIndex().expand(id),
    useModel: (next) => {
      model = resolveModel(next, registry);
      meter = createPromptMeter({ ...model, countTokens, overheadTokens });
    },
    log: async () => [...log.messages()],
    view: async () => [...log.view()],
    folds: async () => listFolds(log.messages()),
    events: async () => [...events],
    close: () => {
      closing.abort(new Error("The session is closed."));
      ports.closed?.();
    },
  };
}
