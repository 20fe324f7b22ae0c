import type { RequestRecord } from "../../../core/statement/request-record.ts";
import { addRequest, NO_REQUESTS, type RequestTotals } from "../../../core/statement/request-totals.ts";
import type { LogRecord } from "../journal/log-record.ts";
import type { SessionEvent } from "../report.ts";

/** Sums up the requests of a session for the decision about the next one. */
export interface RequestHistory {
  take(records: readonly LogRecord[]): void;
  /**
   * The totals of all requests before the newest message, including those in `unsaved`. A request with the present log only counts for the time of
   * the last request, so that preparing the same log again gives the same view.
   */
  totals(unsaved: readonly SessionEvent[], saidVersion: number): RequestTotals;
  save(): SavedRequests;
}

/** The state of a `RequestHistory`, as JSON can hold it. */
export interface SavedRequests {
  /** The totals of requests before the newest message. */
  readonly before: Omit<RequestTotals, "lastAt" | "rereadSinceFold"> & Partial<RequestTotals>;
  /** The requests since the newest message. */
  readonly current: readonly RequestRecord[];
}

/** @default saved no requests */
export function createRequestHistory(saved?: SavedRequests): RequestHistory {
  let before: RequestTotals = { ...NO_REQUESTS, ...saved?.before };
  let current: RequestRecord[] = [...(saved?.current ?? [])];
  return {
    take: (records) => {
      for (const record of records) {
        if (record.type === "event") {
          if (record.event.type === "request") current.push(record.event);
          continue;
        }
        if (record.type === "patch") continue;
        before = current.reduce(addRequest, before);
        current = [];
      }
    },
    totals: (unsaved, saidVersion) => {
      const requests = [...current, ...unsaved.filter((event) => event.type === "request")];
      const [earlier, now] = [
        requests.filter(({ version }) => version < saidVersion),
        requests.filter(({ version }) => version >= saidVersion),
      ];
      const totals = earlier.reduce(addRequest, before);
      const lastAt = now.reduce((last, { at }) => Math.max(at, last), totals.lastAt ?? Number.NEGATIVE_INFINITY);
      return { ...totals, lastAt: Number.isFinite(lastAt) ? lastAt : undefined };
    },
    save: () => ({ before, current }),
  };
}
