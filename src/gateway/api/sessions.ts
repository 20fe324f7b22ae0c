import type { Store, StoredSession } from "../../core/ports/store.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ActivityFeed, SessionChange } from "../activity.ts";
import { notFound } from "./route.ts";

/** Opens the sessions that routes work on, and publishes their changes. */
export interface ApiSessions {
  /** Opens a session. Rejects with a `Refusal` if there is none of this id, because reading must not create one. */
  open(id: string): Promise<OpenedSession>;
  /** Publishes a change of a session in the activity feed. */
  changed(id: string, change: SessionChange): void;
}

export interface OpenedSession {
  readonly stored: StoredSession;
  readonly session: Session;
}

export interface ApiSessionsOptions {
  readonly engine: Engine;
  readonly store: Store;
  readonly feed: ActivityFeed;
  readonly now: () => number;
}

export function createApiSessions({ engine, store, feed, now }: ApiSessionsOptions): ApiSessions {
  return {
    open: async (id) => {
      const stored = await store.find(id);
      if (stored === undefined) throw noSession(id);
      return { stored, session: await engine.session(id) };
    },
    changed: (sessionId, change) => feed.publish({ type: "session", at: now(), sessionId, change }),
  };
}

export function noSession(id: string) {
  return notFound(`There is no session ${JSON.stringify(id)}. GET /palimpsest/api/sessions lists them.`);
}
