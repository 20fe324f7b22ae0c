import { assert, assertObject, assertOptionNames, describeValue } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Message } from "../../core/message/message.ts";
import { isEntry } from "../../core/models/registry.ts";
import { economyTokens } from "../../core/policy/economy.ts";
import { integrationOf } from "../../core/ports/integration-ids.ts";
import type { ListSessionsOptions, Store, StoredSession } from "../../core/ports/store.ts";
import type { WorkspaceOf } from "../../core/ports/workspace.ts";
import type { SessionAccount } from "../../core/statement/sum-statement.ts";
import { assertStore } from "../../core/store/assert-store.ts";
import type { Engine } from "../engine.ts";
import { ownMessages } from "../extensions/own-messages.ts";
import { runPaced } from "../run-paced.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { loadRecall, loadStatement } from "./late-parts.ts";
import { listSessions } from "./list-sessions.ts";
import { assertOffload } from "./offloader.ts";
import { alreadyThere, openSession } from "./open-session.ts";
import { createOpenedSessions, type SessionInfo } from "./opened-sessions.ts";
import { accountOf, assertPeriod, readAccount } from "./requests/read-account.ts";
import type { Session, SessionOptions } from "./session.ts";
import type { SessionPorts } from "./session-context.ts";
import { readExport } from "./session-export.ts";
import type { ModelChoice } from "./session-model.ts";

/** More sessions than any store has. */
const NO_LIMIT = 1_000_000_000;

const SESSION_OPTIONS: Readonly<Record<keyof SessionOptions, true>> = {
  systemPrompt: true,
  tools: true,
  messages: true,
  profileId: true,
  workspace: true,
};

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
  /** Opens a session in memory alone, which no list shows and no other call finds. */
  openOnce(id: string, options: SessionOptions): Promise<Session>;
}

export interface SessionsPorts extends Omit<SessionPorts, "stored" | "branch" | "onClosed"> {
  readonly store: Store | undefined;
  readonly workspaceOf?: WorkspaceOf | undefined;
}

interface Opening {
  readonly options: SessionOptions;
  readonly records: readonly LogRecord[] | undefined;
  readonly onClosed: () => void;
}

export function createSessions(choice: ModelChoice, { store, workspaceOf, ...ports }: SessionsPorts): Sessions {
  if (store !== undefined) assertStore("options.store", store);
  assertOffload(ports.offload);
  const opened = createOpenedSessions(ports.condensation.now);

  async function openNow(id: string, { onClosed, ...opening }: Opening): Promise<Session> {
    if (store !== undefined) assertNotOfIntegration(id);
    const stored = store === undefined ? undefined : { store, session: await store.open(id) };
    const options = { workspace: workspaceOf?.(id), ...opening.options };
    return openSession(id, choice, { ports: { ...ports, stored, branch, onClosed }, ...opening, options });
  }

  /** Opens a session. With records, it throws where the session has a log already. */
  async function open(id: string, options: SessionOptions = {}, records?: readonly LogRecord[]): Promise<Session> {
    assertId(id);
    assertObject("options", options);
    assertOptionNames("options", options, SESSION_OPTIONS);
    const alreadyOpen = opened.get(id);
    const first = records ?? (options.messages === undefined ? undefined : recordsOf(options.messages));
    if (alreadyOpen === undefined)
      return opened.open(id, (onClosed) => openNow(id, { options, records: first, onClosed }));
    if (first !== undefined) throw alreadyThere(id);
    return alreadyOpen;
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
      // Also if there was no session: a deletion that failed half way may have left its files.
      await ports.offload?.remove(id);
      // Last: if this fails, nothing refers to the files any longer.
      if (isDeleted) await workspaceOf?.(id)?.remove?.();
      return isDeleted;
    },
    statement: async (period = {}) => {
      const { since } = assertPeriod(period);
      const open = await Promise.all(opened.ids().map(async (id) => (await opened.get(id))?.events() ?? []));
      const stored = store === undefined ? [] : await listSessions(store, { limit: NO_LIMIT });
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

/** Reads one session at a time: there may be any number of them. */
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

/** Throws for the id of an integration's records: opened as a session they would seem damaged, and a new session would be missing from every list. */
function assertNotOfIntegration(id: string): void {
  const owner = integrationOf(id);
  if (owner === undefined) return;
  throw new PalimpsestError(
    "invalid-argument",
    `id is ${describeValue(id)}, where ${owner} keeps its records. Choose an id that begins otherwise, or ask ${owner} for it.`,
  );
}
