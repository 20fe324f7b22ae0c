import type { CountTokens, Message } from "../../../core/message/message.ts";
import type { Pause } from "../../../core/ports/pacer.ts";
import type { CacheDiagnosis } from "../../../core/statement/cache-diagnosis.ts";
import type { RequestDecision, RequestRecord, TokenCategory } from "../../../core/statement/request-record.ts";
import type { ReportedUsage } from "../../../core/tokens/forecast.ts";
import { runPaced } from "../../run-paced.ts";
import type { LogState } from "../log-state.ts";
import type { PromptState } from "../prompt-state.ts";
import type { SessionLog } from "../session-log.ts";
import type { SessionModel } from "../session-model.ts";
import { createBodyKeeper, type KeptRequest } from "./body-keeper.ts";
import { createCategoryMeter } from "./category-meter.ts";
import { costOf, countCriticalFacts, recordOf } from "./request-record.ts";
import { createRereadMeter } from "./reread-meter.ts";
import type { SentBody } from "./sent-request.ts";

/** A view that prepare returned. Its categories are counted when the request is written, not before it is sent. */
export interface SentView {
  readonly promptTokens: number;
  readonly overheadTokens: number;
  readonly allowedTokens: number;
  /** Our count of the view. */
  readonly viewTokens: number;
  readonly foldIds: readonly string[];
  /** The views before and after these folds; undefined where there are none. */
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
  /** Called before another view is prepared. If messages were appended since the last one, that one was sent without a report, and is written. */
  preparing(): void;
  /** Called with a prepared view. Views of the same log are one request; an earlier one of another log was sent without a report, and is written. */
  prepared(view: SentView): void;
  /** Called with a view that was prepared with `isRequest: false`: it is a request only if `sent` follows. */
  lent(view: SentView): void;
  /** Writes the request of the view that was prepared last, with the provider's report. */
  observed(usage: ReportedUsage): void;
  /** Called when the provider refused the view that was prepared last: it costs nothing, and is no request. */
  refused(): void;
  /** Writes a request that was sent with the log as it is now. The folds for lent views count as made for it. */
  sent(view: () => SentView, report: SentReport): void;
  /** Counts what the next request adds to the session in steps, so that writing its record has little left to count. */
  lookAhead(): Promise<void>;
  /** Cuts a body into blobs, in steps; undefined on a platform where bodies cannot be kept. */
  keepBody(body: SentBody): Promise<KeptRequest | undefined>;
}

export interface SentReport {
  /** @default now */
  readonly at?: number | undefined;
  readonly usage?: ReportedUsage | undefined;
  /** The size of the prompt, where it did not have the session's view: its categories are then unknown. @default the view's */
  readonly promptTokens?: number | undefined;
  readonly cacheDiagnosis?: CacheDiagnosis | undefined;
  /** @default none is kept */
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

export interface PendingRequest extends SentView {
  readonly at: number;
  /** Whether the request has the session's view. */
  readonly isView: boolean;
  /** Whether it is a request only if `sent` follows. */
  readonly isLent: boolean;
  readonly model: SessionModel;
  readonly version: number;
  readonly saidVersion: number;
  readonly logState: LogState;
  readonly overhead: ReturnType<PromptState["overhead"]>;
}

export function createRequestKeeper({ log, state, countTokens, now, pause }: RequestKeeperOptions): RequestKeeper {
  const categoryMeter = createCategoryMeter(countTokens);
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
    const saidTokens = isWhole ? request.viewTokens : size.saidTokens();
    const categories = request.isView ? categoryMeter.categoriesOf(request.logState) : NO_CATEGORIES;
    const sized = recordOf(request, { arrivedTokens: size.arrivedTokens, saidTokens, categories });
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

  /** Ends the pending request before another one: writes it if it was sent, and otherwise merges its folds into the next. */
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
    lookAhead: async () => {
      await runPaced(log.growth().lookAhead(), pause);
      await runPaced(categoryMeter.lookAhead(log.state()), pause);
    },
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

const NO_CATEGORIES: ReadonlyMap<TokenCategory, number> = new Map();

/** The second of two requests with the folds and the cost of both. */
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
