import type { LogPatch } from "../history/log-patch.ts";
import { isStandIn } from "../message/effective-view.ts";
import type { CountTokens, Message } from "../message/message.ts";
import type { RequestRecord } from "../statement/request-record.ts";
import { createStrataLog, type PathStep } from "./strata-log.ts";
import type { StrataRow } from "./strata-row.ts";
import { createStrataView, showAll } from "./strata-view.ts";

/** One record of a session, reduced to its effect on the requests. */
export type StrataStep =
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "patch"; readonly patch: LogPatch }
  /** The log is again what it was at a version; `path` has the steps that led there. */
  | { readonly type: "rewind"; readonly path: readonly PathStep[] }
  | { readonly type: "request"; readonly request: RequestRecord }
  | { readonly type: "other" };

/** How each request of a session showed each message. Built incrementally, record by record. */
export interface Strata {
  /** Adds the next record, which has this version. */
  take(step: StrataStep, version: number): void;
  /** A row for each message that was ever in the log, stand-ins included, in the order in which they were added. */
  readonly rows: readonly StrataRow[];
  readonly requests: readonly RequestRecord[];
  /** For each request, the folds whose stand-ins it showed. */
  readonly shownFoldIds: readonly (readonly string[])[];
}

export function createStrata(countTokens?: CountTokens): Strata {
  const log = createStrataLog();
  const requests: RequestRecord[] = [];
  const shownFoldIds: (readonly string[])[] = [];
  let view = createStrataView(countTokens);
  let isRewritten = false;

  function takeRequest(request: RequestRecord): void {
    const index = requests.push(request) - 1;
    if (isRewritten) view = showAll({ rows: log.rows, log: log.now(), index, countTokens });
    isRewritten = false;
    view.show(request, index);
    shownFoldIds.push(view.foldIds());
  }

  return {
    rows: log.rows,
    requests,
    shownFoldIds,
    take: (step, version) => {
      if (step.type === "request") takeRequest(step.request);
      if (step.type === "patch") log.patch(step.patch, version);
      if (step.type === "rewind") log.rewind(step.path);
      const row = step.type === "message" ? log.append(step.message, version) : undefined;
      if (row !== undefined && !isStandIn(row.message)) view.add(row);
      // An imported log may come message by message: a summary in it hides messages before it.
      else if (step.type !== "request" && step.type !== "other") isRewritten = true;
    },
  };
}
