import type { WireName, WireOperation } from "../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../core/tokens/forecast.ts";

/** What happens in a gateway, as it happens; `at` is in milliseconds since the epoch. Never holds content, keys or headers. */
export type Activity =
  /** A request to an upstream has ended. */
  | {
      readonly type: "request";
      readonly at: number;
      readonly startedAt: number;
      readonly api: WireName;
      readonly operation: WireOperation;
      readonly modelId: string;
      /** Undefined where the request belongs to no session: side calls, and requests that were forwarded without being read. */
      readonly sessionId: string | undefined;
      /** Undefined where the upstream never answered. */
      readonly status: number | undefined;
      readonly isStreaming: boolean;
      readonly isComplete: boolean;
      /** The tokens of the prompt as the agent sent it, and as it went upstream. */
      readonly tokensIn: number;
      readonly tokensSent: number;
      /** The folds that were made for this request. */
      readonly foldIds: readonly string[];
      /** How often the request was sent again, shorter, after the upstream refused it as too long. */
      readonly retries: number;
      /** By how many milliseconds the gateway delayed the request. */
      readonly addedMs: number;
      readonly usage: ReportedUsage | undefined;
      /** In USD, by the model's prices; undefined where they are not known. */
      readonly costUsd: number | undefined;
    }
  /** A session's log, folds or events have changed. */
  | { readonly type: "session"; readonly at: number; readonly sessionId: string; readonly change: SessionChange }
  /** A step of the gateway failed, and the request went on without it. `what` names the step, and never holds content. */
  | { readonly type: "incident"; readonly at: number; readonly what: string; readonly error: string };

export type SessionChange = "created" | "appended" | "folded" | "rewound" | "restored" | "updated" | "deleted";

export type RequestActivity = Extract<Activity, { readonly type: "request" }>;

/** Publishes activities to all listeners. */
export interface ActivityFeed {
  publish(activity: Activity): void;
  /** Adds a listener, and returns the function that removes it. Errors that the listener throws are ignored. */
  listen(listener: (activity: Activity) => void): () => void;
}

export function createActivityFeed(): ActivityFeed {
  const listeners = new Set<(activity: Activity) => void>();
  return {
    publish: (activity) => {
      for (const listener of listeners) {
        try {
          listener(activity);
        } catch {
          // a listener's error must not fail a request
        }
      }
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
