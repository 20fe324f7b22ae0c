import type { ListSessionsOptions } from "../../core/ports/store.ts";
import type { Session } from "./session.ts";

/** A session as a list shows it. */
export interface SessionInfo {
  readonly id: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The sessions that are open in this engine. */
export interface OpenedSessions {
  get(id: string): Promise<Session> | undefined;
  ids(): readonly string[];
  /** Adds the session that `openNow` opens, until its callback is called or it cannot be opened. */
  open(id: string, openNow: (onClosed: () => void) => Promise<Session>): Promise<Session>;
  list(options: ListSessionsOptions): Promise<readonly SessionInfo[]>;
}

export function createOpenedSessions(now: () => number): OpenedSessions {
  /** By id. Promises, so that two callers who open one id at the same time get the same session. */
  const opened = new Map<string, { readonly session: Promise<Session>; readonly at: number }>();

  /** Removes a session, unless another one was opened under its id since. */
  function forget(id: string, session: Promise<Session>): void {
    if (opened.get(id)?.session === session) opened.delete(id);
  }

  return {
    get: (id) => opened.get(id)?.session,
    ids: () => [...opened.keys()],
    open: (id, openNow) => {
      const session = openNow(() => forget(id, session));
      opened.set(id, { session, at: now() });
      // A session that could not be opened may be opened again.
      session.catch(() => forget(id, session));
      return session;
    },
    list: async ({ limit = 100 }) => {
      const newest = [...opened].slice(-limit).reverse();
      return Promise.all(newest.map(async ([id, { session, at }]) => openInfo(id, await session, at)));
    },
  };
}

async function openInfo(id: string, session: Session, at: number): Promise<SessionInfo> {
  const last = (await session.events()).at(-1)?.at ?? at;
  return { id, version: await session.version(), createdAt: at, updatedAt: Math.max(at, last) };
}
