import { assert, assertFunction, assertObject, describeValue } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Message } from "../../core/message/message.ts";
import { isEntry } from "../../core/models/registry.ts";
import { economyTokens } from "../../core/policy/economy.ts";
import { integrationOf } from "../../core/ports/integration-ids.ts";
import type { ListSessionsOptions, Store, StoredSession } from "../../core/ports/store.ts";
import type { WorkspaceOf } from "../../core/ports/workspace.ts";
import type { SessionAccount } from "../../core/statement/sum-statement.ts";
import type { Engine } from "../engine.ts";
import { ownMessages } from "../extensions/own-messages.ts";
import { runPaced } from "../run-paced.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { loadRecall, loadStatement } from "./late-parts.ts";
import { listSessions } from "./list-sessions.ts";
import { assertOffload } from "./offloader.ts";
import { alreadyThere, openSession } from "./open-session.ts";
import { accountOf, assertPeriod, readAccount } from "./requests/read-account.ts";
import type { Session, SessionOptions } from "./session.ts";
import type { SessionPorts } from "./session-context.ts";
import { readExport } from "./session-export.ts";
import type { ModelChoice } from "./session-model.ts";

/** More sessions than any store has. */
const EVERY = 1_000_000_000;

/** A session as a list shows it. */
export interface SessionInfo {
  readonly id: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ImportSessionOptions {
  /** @default the id that it had */
  readonly id?: string | undefined;
}

/** The sessions of one engine. */
export interface Sessions {
  readonly open: Engine["session"];
  readonly list: Engine["sessions"];
  readonly delete: Engine["deleteSession"];
  readonly import: Engine["importSession"];
  readonly recall: Engine["recall"];
  readonly statement: Engine["statement"];
  /** A session that is neither kept nor found again. */
  openOnce(id: string, options: SessionOptions): Promise<Session>;
}

export interface SessionsPorts extends Omit<SessionPorts, "stored" | "branch" | "closed"> {
  readonly store: Store | undefined;
  readonly workspaceOf?: WorkspaceOf | undefined;
}

interface Opening {
  readonly options: SessionOptions;
  readonly records: readonly LogRecord[] | undefined;
  readonly closed: () => void;
}

export function createSessions(choice: ModelChoice, { store, workspaceOf, ...ports }: SessionsPorts): Sessions {
  assertStore(store);
  assertOffload(ports.offload);
  const opened = createOpenedSessions(ports.condensation.now);

  async function openNow(id: string, { closed, ...opening }: Opening): Promise<Session> {
    if (store !== undefined) assertNotOfIntegration(id);
    const stored = store === undefined ? undefined : { store, session: await store.open(id) };
    const options = { workspace: workspaceOf?.(id), ...opening.options };
    return openSession(id, choice, { ports: { ...ports, stored, branch, closed }, ...opening, options });
  }

  /** Opens a session; with records, only one that has none yet. */
  async function open(id: string, options: SessionOptions = {}, records?: readonly LogRecord[]): Promise<Session> {
    assertId(id);
    assertObject("options", options);
    const known = opened.get(id);
    const first = records ?? (options.messages === undefined ? undefined : recordsOf(options.messages));
    if (known === undefined) return opened.open(id, (closed) => openNow(id, { options, records: first, closed }));
    if (first !== undefined) throw alreadyThere(id);
    return known;
  }

  const branch = (id: string, records: readonly LogRecord[]) => open(id, {}, records);
  return {
    open: (id, options) => open(id, options),
    openOnce: (id, options) =>
      openSession(id, choice, { ports: { ...ports, branch }, options, records: recordsOf(options.messages ?? []) }),
    import: async (exported, options = {}) => {
      const records = readExport(exported);
      assertObject("options", options);
      return open(options.id ?? exported.id, {}, records);
    },
    list: async (options: ListSessionsOptions = {}) => {
      assertObject("options", options);
      return store === undefined ? opened.list(options) : (await listSessions(store, options)).map(infoOf);
    },
    delete: async (id) => {
      assertId(id);
      const session = await opened.get(id)?.catch(() => undefined);
      session?.close();
      const isDeleted = store === undefined ? session !== undefined : await store.delete(id);
      // Also where there was no session: its files may be left of a deletion that failed half way.
      await ports.offload?.remove(id);
      // Should its files fail to go, nothing refers to them any longer.
      if (isDeleted) await workspaceOf?.(id)?.remove?.();
      return isDeleted;
    },
    statement: async (period = {}) => {
      const { since } = assertPeriod(period);
      const open = await Promise.all(opened.ids().map(async (id) => (await opened.get(id))?.events() ?? []));
      const stored = store === undefined ? [] : await listSessions(store, { limit: EVERY });
      const accounts =
        store === undefined ? open.map((events) => accountOf(events, since)) : await readAccounts(store, stored, since);
      const { model } = choice;
      const leftTokens = economyTokens(ports.condensation.configuration.thresholds.economy);
      const findModel = (id: string) => (isEntry(model) && model.id === id ? model : ports.registry.find(id));
      const { statementSteps } = await loadStatement();
      return runPaced(statementSteps(accounts, { findModel, leftTokens, since }), ports.condensation.pause);
    },
    recall: async (query, options = {}) => {
      assertObject("options", options);
      const { recallSessions } = await loadRecall();
      return recallSessions(store, query, {
        ...options,
        countTokens: ports.countTokens,
        compareMeaning: ports.compareMeaning,
      });
    },
  };
}

/** The sessions that are open in this engine. */
interface OpenedSessions {
  get(id: string): Promise<Session> | undefined;
  ids(): readonly string[];
  open(id: string, openNow: (closed: () => void) => Promise<Session>): Promise<Session>;
  list(options: ListSessionsOptions): Promise<readonly SessionInfo[]>;
}

function createOpenedSessions(now: () => number): OpenedSessions {
  /** Promises, so that two who open one id at the same time get the same session. */
  const opened = new Map<string, { readonly session: Promise<Session>; readonly at: number }>();

  /** Unless another session was opened under that id since. */
  function forget(id: string, session: Promise<Session>): void {
    if (opened.get(id)?.session === session) opened.delete(id);
  }

  return {
    get: (id) => opened.get(id)?.session,
    ids: () => [...opened.keys()],
    open: (id, openNow) => {
      const session = openNow(() => forget(id, session));
      opened.set(id, { session, at: now() });
      // What could not be opened may be tried again.
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

/** One after the other: there may be any number of them. */
async function readAccounts(
  store: Store,
  sessions: readonly StoredSession[],
  since: number | undefined,
): Promise<readonly SessionAccount[]> {
  const accounts: SessionAccount[] = [];
  for (const session of sessions) {
    const account = await readAccount(store, session, since);
    if (account !== undefined) accounts.push(account);
  }
  return accounts;
}

function recordsOf(messages: readonly Message[]): readonly LogRecord[] {
  return ownMessages(messages).map((message) => ({ type: "message", message }));
}

function infoOf({ id, version, createdAt, updatedAt }: StoredSession): SessionInfo {
  return { id, version, createdAt, updatedAt };
}

function assertId(id: string): void {
  assert(typeof id === "string" && id !== "", "id", id, "a string that is not empty");
}

/** In its store it would be opened as a damaged session, or hide a new one from every list. */
function assertNotOfIntegration(id: string): void {
  const owner = integrationOf(id);
  if (owner === undefined) return;
  throw new PalimpsestError(
    "invalid-argument",
    `id is ${describeValue(id)}, where ${owner} keeps its records. Choose an id that begins otherwise, or ask ${owner} for it.`,
  );
}

function assertStore(store: Store | undefined): void {
  if (store === undefined) return;
  assertObject("options.store", store);
  for (const method of ["open", "append", "read"] as const) assertFunction(`options.store.${method}`, store[method]);
}
