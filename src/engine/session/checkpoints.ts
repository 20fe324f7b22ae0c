import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { isRecord } from "../../core/json/read-json.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import {
  type CheckpointReason,
  type CheckpointRules,
  DEFAULT_CHECKPOINT_RULES,
  decideCheckpoint,
} from "../../core/policy/checkpoint-rules.ts";
import type { Store, StoredCheckpoint, StoredSession } from "../../core/ports/store.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { LiveSession } from "./live-session.ts";

/** A saved moment of a session: its log, its agent's state and its files. */
export interface SessionCheckpoint {
  readonly id: string;
  readonly at: number;
  readonly reason: CheckpointReason;
  /** The session's version at that moment, from which its log follows. */
  readonly version: number;
  /** The number of messages in the log, without stand-ins. */
  readonly messages: number;
  readonly phase?: string;
  /** The `state` that was passed. */
  readonly state?: unknown;
  /** The id of the workspace's files at that moment. */
  readonly filesId?: string;
}

export interface CheckpointOptions {
  /** The agent's own state: any value that JSON can hold. */
  readonly state?: unknown;
  /** What the agent is doing: a change of it makes a checkpoint due. */
  readonly phase?: string | undefined;
  /** How many checkpoints are kept; older ones are deleted. Checkpoints of turns are counted apart. @default 5; 50 of turns */
  readonly keep?: number | undefined;
  /** Makes this a checkpoint of a person's turn, with files that were saved before. @default a checkpoint of the present moment */
  readonly turn?: CheckpointedTurn | undefined;
}

/** The beginning of a person's turn, and the files of that moment. */
export interface CheckpointedTurn {
  /** The session's version right before the person's message. */
  readonly version: number;
  /** The `id` that the session's workspace returned when it saved the files. */
  readonly filesId: string;
}

export interface CheckpointIfDueOptions extends CheckpointOptions {
  readonly rules?: Partial<CheckpointRules> | undefined;
}

/** Keeps the checkpoints of one session. */
export interface CheckpointKeeper {
  save(options: CheckpointOptions, reason?: CheckpointReason): Promise<SessionCheckpoint>;
  /** Saves a checkpoint if one is due; undefined where none is. */
  saveIfDue(options: CheckpointIfDueOptions): Promise<SessionCheckpoint | undefined>;
  /** The checkpoints, newest first. */
  list(limit?: number): Promise<readonly SessionCheckpoint[]>;
  /** Throws "not-found" where the session has no such checkpoint. */
  find(id: string): Promise<SessionCheckpoint>;
}

export interface CheckpointKeeperPorts {
  /** Undefined where the session lives in memory alone. */
  readonly stored: { readonly store: Store; readonly session: StoredSession } | undefined;
  readonly workspace: WorkspaceFiles | undefined;
}

const DEFAULT_KEEP = 5;
/** More than of others: a person rewinds to any of their messages, and a checkpoint takes only the space of the files that changed. */
const DEFAULT_KEPT_TURNS = 50;

export function createCheckpointKeeper(
  live: LiveSession,
  { stored, workspace }: CheckpointKeeperPorts,
): CheckpointKeeper {
  const startedAt = live.ports.now();

  async function list(limit?: number): Promise<readonly SessionCheckpoint[]> {
    const { store, session } = assertStored(stored);
    const rows = await store.listCheckpoints(session.key, limit === undefined ? {} : { limit });
    return rows.map((row) => readCheckpoint(row, session.id));
  }

  async function save(options: CheckpointOptions, reason: CheckpointReason = "manual"): Promise<SessionCheckpoint> {
    const { store, session } = assertStored(stored);
    const { turn } = assertOptions(options, live);
    const { keep = turn === undefined ? DEFAULT_KEEP : DEFAULT_KEPT_TURNS } = options;
    const checkpoint =
      turn === undefined
        ? await takeCheckpoint(live, workspace, { ...options, reason })
        : await turnCheckpoint(live, turn, options);
    const { id, at } = checkpoint;
    await store.saveCheckpoint(session.key, { id, at, body: JSON.stringify(checkpoint) });
    // The many checkpoints of turns must not push out those that were asked for.
    const isSameKind = ({ reason }: SessionCheckpoint) => (reason === "turn") === (turn !== undefined);
    // By id, not by place: after the clock was set back, the new checkpoint is not the first in the list.
    const others = (await list()).filter((other) => other.id !== id && isSameKind(other));
    for (const { id: oldId } of others.slice(keep - 1)) await store.deleteCheckpoint(session.key, oldId);
    live.record({ type: "checkpoint", at, checkpointId: id, reason: checkpoint.reason });
    return checkpoint;
  }

  return {
    save,
    list,
    find: async (id) => {
      const found = (await list()).find((checkpoint) => checkpoint.id === id);
      if (found !== undefined) return found;
      throw new PalimpsestError("not-found", `The session has no checkpoint ${JSON.stringify(id)}.`);
    },
    saveIfDue: async (options) => {
      assertObject("options", options);
      const [last] = await list(1);
      const reason = await reasonToSave(live, last ?? { at: startedAt, messages: 0, phase: options.phase }, options);
      return reason === undefined ? undefined : save(options, reason);
    },
  };
}

function assertStored(stored: CheckpointKeeperPorts["stored"]): NonNullable<CheckpointKeeperPorts["stored"]> {
  if (stored !== undefined) return stored;
  throw new PalimpsestError(
    "invalid-configuration",
    "Checkpoints need a store. Pass one to createEngine, for example sqliteStore() of palimpsest/stores/sqlite.",
  );
}

/** A checkpoint of the present moment, with the files as they are. It is not in the store yet. */
async function takeCheckpoint(
  live: LiveSession,
  workspace: WorkspaceFiles | undefined,
  { state, phase, reason }: Pick<SessionCheckpoint, "state" | "reason"> & Pick<CheckpointOptions, "phase">,
): Promise<SessionCheckpoint> {
  const at = live.ports.now();
  const version = live.log.version();
  const id = `checkpoint-${version}-${at}`;
  const files = await workspace?.save({ message: id });
  return {
    id,
    at,
    reason,
    version,
    messages: live.log.saidMessages(),
    ...(phase === undefined ? {} : { phase }),
    ...(state === undefined ? {} : { state }),
    ...(files === undefined ? {} : { filesId: files.id }),
  };
}

/** A checkpoint of the moment right before a person spoke. Its id differs from that of a manual checkpoint at the same version. */
async function turnCheckpoint(
  live: LiveSession,
  { version, filesId }: CheckpointedTurn,
  { state, phase }: CheckpointOptions,
): Promise<SessionCheckpoint> {
  const at = live.ports.now();
  const said = (await live.log.history()).logAt(version).filter((message) => !isStandIn(message));
  return {
    id: `turn-${version}-${at}`,
    at,
    reason: "turn",
    version,
    messages: said.length,
    ...(phase === undefined ? {} : { phase }),
    ...(state === undefined ? {} : { state }),
    filesId,
  };
}

/** The reason why a checkpoint is due now; undefined where none is due. */
async function reasonToSave(
  live: LiveSession,
  last: Pick<SessionCheckpoint, "at" | "messages"> & Pick<CheckpointOptions, "phase">,
  { phase, rules }: CheckpointIfDueOptions,
): Promise<CheckpointReason | undefined> {
  const said = (await live.log.whole()).messages.filter((message) => !isStandIn(message));
  // After a rewind, the log may have fewer messages than at the last checkpoint.
  const added = said.slice(Math.min(last.messages, said.length));
  return decideCheckpoint(
    {
      last,
      now: { at: live.ports.now(), phase },
      growth: { messages: added.length, tokens: countMessagesTokens(added, live.countTokens) },
    },
    { ...DEFAULT_CHECKPOINT_RULES, ...rules },
  );
}

function assertOptions(options: CheckpointOptions, live: LiveSession): CheckpointOptions {
  assertObject("options", options);
  const { state, phase, keep = DEFAULT_KEEP, turn } = options;
  assert(isJson(state), "options.state", state, "what JSON can hold: no circles, no BigInt");
  assert(phase === undefined || typeof phase === "string", "options.phase", phase, "a string");
  assertNumber("options.keep", keep, 1);
  if (turn !== undefined) assertTurn(turn, live.log.version());
  return options;
}

function assertTurn(turn: CheckpointedTurn, newest: number): void {
  assertObject("options.turn", turn);
  const { version, filesId } = turn;
  const isVersion = Number.isInteger(version) && version >= 0 && version <= newest;
  assert(isVersion, "options.turn.version", version, `a whole number from 0 to ${newest}`);
  assert(typeof filesId === "string" && filesId !== "", "options.turn.filesId", filesId, "an id that save() gave");
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

function readCheckpoint({ id, body }: StoredCheckpoint, sessionId: string): SessionCheckpoint {
  try {
    const checkpoint = parseJson(body);
    if (isCheckpoint(checkpoint) && checkpoint.id === id) return checkpoint;
  } catch {
    // Falls through to the error below.
  }
  throw new PalimpsestError(
    "store-damaged",
    `The checkpoint ${JSON.stringify(id)} of the session ${JSON.stringify(sessionId)} is not what was written. Restore the database from a backup.`,
  );
}

function isCheckpoint(value: unknown): value is SessionCheckpoint {
  return isRecord(value) && typeof value.id === "string" && Number.isInteger(value.version);
}
