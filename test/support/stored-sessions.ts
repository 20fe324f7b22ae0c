import {
  createEngine,
  type Engine,
  type EngineOptions,
  type Message,
  type Session,
  type Store,
} from "../../src/index.ts";
import { SMALL } from "./sessions.ts";

/** An engine of a small window on a store; its clock stands still. */
export function engineOn(store: Store | undefined, options: Partial<EngineOptions> = {}): Engine {
  return createEngine({ ...SMALL, now: () => 0, store, ...options });
}

/** The session "task" of an engine of its own. */
export async function sessionOn(store: Store | undefined, options: Partial<EngineOptions> = {}): Promise<Session> {
  return engineOn(store, options).session("task");
}

/** All that can be seen of a session, as bytes. */
export interface Seen {
  readonly log: string;
  readonly view: string;
  readonly folds: string;
  readonly events: string;
  readonly version: number;
}

export async function seen(session: Session): Promise<Seen> {
  return {
    log: JSON.stringify(await session.log()),
    view: JSON.stringify(await session.view()),
    folds: JSON.stringify(await session.folds()),
    events: JSON.stringify(await session.events()),
    version: await session.version(),
  };
}

/** Log and view alone, as bytes: what a rewind brings back. */
export async function shown(session: Session): Promise<Pick<Seen, "log" | "view">> {
  const { log, view } = await seen(session);
  return { log, view };
}

export async function idsOf(session: Session): Promise<readonly (string | undefined)[]> {
  return (await session.log()).map((message) => message.id);
}

/** A copy of a message with other words. */
export function reworded(content: string): (messages: readonly Message[]) => readonly Message[] {
  return (messages) => messages.map((message) => ({ ...message, content }));
}
