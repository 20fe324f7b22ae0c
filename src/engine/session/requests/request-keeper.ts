import type { CountTokens, Message } from "../../../core/message/message.ts";
import { priceOf } from "../../../core/models/price.ts";
import type { Pause } from "../../../core/ports/pacer.ts";
import type { CacheDiagnosis } from "../../../core/statement/cache-diagnosis.ts";
import { scaleCategories } from "../../../core/statement/count-categories.ts";
import type {
  CriticalFactCount,
  RequestDecision,
  RequestRecord,
  TokenCategory,
} from "../../../core/statement/request-record.ts";
import type { ReportedUsage } from "../../../core/tokens/forecast.ts";
import { factSurvival } from "../../../core/validators/fact-survival.ts";
import type { LogState } from "../log-state.ts";
import type { PromptState } from "../prompt-state.ts";
import type { SentBody } from "../session.ts";
import type { SessionLog } from "../session-log.ts";
import type { SessionModel } from "../session-model.ts";
import { createBodyKeeper, type KeptRequest } from "./body-keeper.ts";
import { createCategoryMeter } from "./category-meter.ts";
import { readableUsage } from "./readable-usage.ts";
import { createRereadMeter } from "./reread-meter.ts";

/** A view as it was given out; what it consists of is counted when the request is written, not before it is sent. */
export interface SentView {
  readonly promptTokens: number;
  readonly overheadTokens: number;
  readonly allowedTokens: number;
  /** Our count of the view. */
  readonly viewTokens: number;
  readonly foldIds: readonly string[];
  /** What was visible before these folds, and after them. */
  readonly folded?: FoldedViews;
  readonly condenseUsd: number;
  readonly decision: RequestDecision;
}

export interface FoldedViews {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

/** Writes one record for each request of a session. */
export interface RequestKeeper {
  /** Another view is about to be prepared: where something was said since the last one, that one was sent without a report. */
  preparing(): void;
  /** A view was prepared. Two of the very same log are one request; the one before, of another log, was sent without a report. */
  prepared(view: SentView): void;
  /** A view was prepared by someone who says with `sent` whether it was sent. */
  lent(view: SentView): void;
  /** The provider's report on the view that was prepared last. */
  observed(usage: ReportedUsage): void;
  /** The provider refused the view that was prepared last: nobody pays for it. */
  refused(): void;
  /** A request was sent with the log as it is now; what was folded for views that were lent was folded for it. */
  sent(view: () => SentView, report: SentReport): void;
  /** Makes of a body what is kept of it, in steps; undefined where it cannot be kept here. */
  keepBody(body: SentBody): Promise<KeptRequest | undefined>;
}

export interface SentReport {
  /** @default now */
  readonly at?: number | undefined;
  readonly usage?: ReportedUsage | undefined;
  /** What was sent, where that was not the session's view: then nobody knows what it consisted of. @default the view */
  readonly promptTokens?: number | undefined;
  readonly cacheDiagnosis?: CacheDiagnosis | undefined;
  /** @default it is not kept */
  readonly body?: KeptRequest | undefined;
}

export interface RequestKeeperOptions {
  readonly log: SessionLog;
  readonly state: PromptState;
  readonly countTokens: CountTokens;
  readonly now: () => number;
  /** Called between the steps of keeping a large body. */
  readonly pause: Pause;
}

interface PendingRequest extends SentView {
  readonly at: number;
  /** Whether what was sent is the session's view. */
  readonly isView: boolean;
  /** Whether it is in the statement only if someone says that it was sent. */
  readonly isLent: boolean;
  readonly model: SessionModel;
  readonly version: number;
  readonly saidVersion: number;
  readonly logState: LogState;
  readonly overhead: ReturnType<PromptState["overhead"]>;
}

export function createRequestKeeper({ log, state, countTokens, now, pause }: RequestKeeperOptions): RequestKeeper {
  const categoriesOf = createCategoryMeter(countTokens);
  const newMessages = log.growth().arrivedAt(log.version()).length;
  const rereadsIn = createRereadMeter(countTokens, { state: log.state(), newMessages });
  const bodies = createBodyKeeper(pause);
  let pending: PendingRequest | undefined;

  function requestNow(view: SentView): PendingRequest {
    const places = { version: log.version(), saidVersion: log.growth().saidVersion(), logState: log.state() };
    return {
      ...view,
      ...places,
      at: now(),
      isView: true,
      isLent: false,
      model: state.model(),
      overhead: state.overhead(),
    };
  }

  function write(
    request: PendingRequest,
    usage: ReportedUsage | undefined,
    { body: kept, cacheDiagnosis }: Pick<SentReport, "body" | "cacheDiagnosis"> = {},
  ): void {
    const size = log.growth().sizeAt(request.version, request.logState);
    const isWhole = request.isView && request.logState.rewriteVersion === 0;
    const saidTokens = isWhole ? request.viewTokens : size.saidTokens;
    const categories = request.isView ? categoriesOf(request.logState) : NO_CATEGORIES;
    const sized = recordOf(request, { ...size, saidTokens, categories });
    const rereadTokens = Math.round(
      sized.tokenRatio * rereadsIn(request.logState, log.growth().arrivedAt(request.version)),
    );
    const reread = rereadTokens === 0 ? {} : { rereadTokens };
    const facts = request.folded === undefined ? {} : { criticalFacts: countCriticalFacts(request.folded) };
    const body = kept === undefined ? {} : { body: kept.body };
    const diagnosis = cacheDiagnosis === undefined ? {} : { cacheDiagnosis };
    const record: RequestRecord = {
      ...sized,
      ...facts,
      ...reread,
      ...diagnosis,
      ...costOf(request.model, usage),
      ...body,
    };
    log.growth().sent(record);
    log.recordLater({ type: "request", ...record }, kept?.blobs);
  }

  /** Another view follows: one that was sent is written, and what was folded for any other was folded for this one. */
  function followBy(next: PendingRequest): PendingRequest {
    const before = pending;
    pending = undefined;
    if (before === undefined) return next;
    if (before.isLent || before.saidVersion === next.saidVersion) return mergeRequests(before, next);
    write(before, undefined);
    return next;
  }

  return {
    keepBody: bodies.keep,
    preparing: () => {
      if (pending === undefined || pending.isLent || pending.saidVersion === log.growth().saidVersion()) return;
      write(pending, undefined);
      pending = undefined;
    },
    prepared: (view) => {
      pending = followBy(requestNow(view));
    },
    lent: (view) => {
      pending = { ...followBy(requestNow(view)), isLent: true };
    },
    observed: (usage) => {
      if (pending === undefined || pending.isLent) return;
      write(pending, usage);
      pending = undefined;
    },
    refused: () => {
      if (pending !== undefined) pending = { ...pending, isLent: true };
    },
    sent: (view, { at = now(), usage, promptTokens, body, cacheDiagnosis }) => {
      const isReady = pending?.saidVersion === log.growth().saidVersion();
      const request = isReady && pending !== undefined ? pending : followBy(requestNow(view()));
      pending = undefined;
      const sentAs = promptTokens === undefined ? {} : { promptTokens, isView: false };
      write({ ...request, at, ...sentAs }, usage, { body, cacheDiagnosis });
    },
  };
}

/** A message of which only a block is hidden counts as hidden, and what is left of it as visible. */
function countCriticalFacts({ before, after }: FoldedViews): CriticalFactCount {
  const shown = new Set(after);
  const texts = new Set(after.map((message) => JSON.stringify(message)));
  // Where what is hidden was read in between, the same messages are other objects.
  const hidden = before.filter((message) => !shown.has(message) && !texts.has(JSON.stringify(message)));
  const { factCount, missing } = factSurvival(hidden, after, "");
  return { facts: factCount, visible: factCount - missing.length };
}

/** What was folded for the first of two views was folded for the second as well. */
function mergeRequests(first: PendingRequest, second: PendingRequest): PendingRequest {
  const before = first.folded?.before ?? second.folded?.before;
  const after = second.folded?.after ?? first.folded?.after;
  return {
    ...second,
    ...(before === undefined || after === undefined ? {} : { folded: { before, after } }),
    foldIds: [...first.foldIds, ...second.foldIds],
    condenseUsd: first.condenseUsd + second.condenseUsd,
    decision: first.foldIds.length > 0 ? first.decision : second.decision,
  };
}

interface MeasuredView {
  readonly arrivedTokens: number;
  readonly saidTokens: number;
  readonly categories: ReadonlyMap<TokenCategory, number>;
}

const RATIO_DIGITS = 5;
const NO_CATEGORIES: ReadonlyMap<TokenCategory, number> = new Map();

function recordOf(request: PendingRequest, measured: MeasuredView): RequestRecord {
  const { at, model, version, promptTokens, overheadTokens, allowedTokens, viewTokens, overhead, isView } = request;
  const shownTokens = Math.max(0, promptTokens - overheadTokens);
  const exact = isView && viewTokens > 0 && shownTokens > 0 ? shownTokens / viewTokens : model.tokenRatio;
  const tokenRatio = Number(exact.toFixed(RATIO_DIGITS));
  const overheadCount = overhead.systemTokens + overhead.toolTokens;
  const overheadRatio = overheadCount > 0 ? overheadTokens / overheadCount : 0;
  return {
    at,
    modelId: model.id,
    contextWindow: model.contextWindow,
    allowedTokens: Math.max(0, Math.floor(allowedTokens)),
    version,
    promptTokens,
    overheadTokens,
    arrivedTokens: Math.round(measured.arrivedTokens * tokenRatio),
    hiddenTokens: Math.max(0, Math.round(measured.saidTokens * tokenRatio - shownTokens)),
    tokenRatio,
    tokens: {
      ...scaleCategories(
        [
          ["system", overhead.systemTokens],
          ["tools", overhead.toolTokens],
        ],
        overheadRatio,
      ),
      ...scaleCategories(measured.categories, tokenRatio),
    },
    foldIds: request.foldIds,
    decision: request.decision,
    condenseUsd: request.condenseUsd,
  };
}

function costOf(
  { entry }: SessionModel,
  reported: ReportedUsage | undefined,
): Pick<RequestRecord, "usage" | "costUsd"> {
  const usage = readableUsage(reported);
  if (usage === undefined) return {};
  const { outputTokens = 0, reasoningTokens = 0 } = usage;
  const costUsd = priceOf(entry, { ...usage, outputTokens: outputTokens + reasoningTokens });
  return { usage, ...(costUsd === undefined ? {} : { costUsd }) };
}
