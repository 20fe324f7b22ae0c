import type { RequestRecord } from "../../../core/statement/request-record.ts";
import { addRequest, NO_REQUESTS, type RequestTotals } from "../../../core/statement/request-totals.ts";
import type { LogRecord } from "../journal/log-record.ts";
import type { SessionEvent } from "../report.ts";

/** The requests of a session, as far as they teach about the next one. */
export interface RequestHistory {
  take(records: readonly LogRecord[]): void;
  /**
   * What all requests before the newest message add up to, those of `unsaved` among them. One with the log as it is only counts as the last
   * one: to prepare the same log again must give the same view.
   */
  totals(unsaved: readonly SessionEvent[], saidVersion: number): RequestTotals;
  save(): SavedRequests;
}

/** All that a history knows, as JSON can hold it. */
export interface SavedRequests {
  readonly before: Omit<RequestTotals, "lastAt" | "rereadSinceFold"> & Partial<RequestTotals>;
  /** Since something was said last. */
  readonly current: readonly RequestRecord[];
}

/** @default saved there was none */
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
