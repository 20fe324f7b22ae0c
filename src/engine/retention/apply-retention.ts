import { PalimpsestError } from "../../core/errors.ts";
import { integrationOf } from "../../core/ports/integration-ids.ts";
import type { Store } from "../../core/ports/store.ts";
import type { SessionSize, StoreMaintenance } from "../../core/ports/store-maintenance.ts";
import { assertRetention, planRetention, type Retention } from "../../core/store/plan-retention.ts";
import { createEngine } from "../create-engine.ts";

export interface ApplyRetentionOptions {
  readonly store: Store;
  readonly retention: Retention;
  /** Returns what would be removed, and removes nothing. @default false */
  readonly isDryRun?: boolean | undefined;
  /** Whether a session is in use now: then it stays, whatever its age. @default no session is */
  readonly isInUse?: ((sessionId: string) => boolean) | undefined;
  /** Called after a session was removed, to delete what is kept of it outside of the store. */
  readonly onRemoved?: ((sessionId: string) => Promise<void>) | undefined;
}

export interface RetentionOutcome {
  readonly removed: readonly RemovedSession[];
  readonly removedBytes: number;
  readonly keptSessions: number;
  readonly keptBytes: number;
  /** Sessions that the retention would remove, but that are kept as they or messages of them are pinned. */
  readonly pinned: readonly string[];
  /** Sessions that are kept as they are damaged, and their pins cannot be read. */
  readonly unreadable: readonly string[];
}

export interface RemovedSession {
  readonly id: string;
  readonly bytes: number;
  readonly idleMs: number;
  readonly reason: "age" | "size";
}

/** A record of a pinned message holds this text; a session without it has no pinned message. */
const PINNED_MESSAGE = '"important":true';

type Standing = "removable" | "pinned" | "unreadable" | "in-use";

/** Removes the sessions that a retention does not keep. Sessions that are pinned or have a pinned message stay. Throws "invalid-argument" for a store without maintenance. */
export async function applyRetention(options: ApplyRetentionOptions): Promise<RetentionOutcome> {
  const { store, retention, isDryRun = false, isInUse = () => false, onRemoved } = options;
  const { maintenance } = store;
  if (maintenance === undefined) throw withoutMaintenance();
  assertRetention("retention", retention);
  const sessions = await maintenance.measure();
  const found = { removed: [] as RemovedSession[], pinned: [] as string[], unreadable: [] as string[] };
  for (const candidate of candidates(sessions, retention)) {
    const standing = isInUse(candidate.id) ? "in-use" : await standingOf(candidate, { store, maintenance });
    if (standing === "pinned" || standing === "unreadable") found[standing].push(candidate.id);
    if (standing !== "removable") continue;
    if (!isDryRun && !(await maintenance.remove(candidate))) continue;
    const { id, bytes, idleMs, reason } = candidate;
    found.removed.push({ id, bytes, idleMs, reason });
    if (!isDryRun) await onRemoved?.(id);
  }
  const removedBytes = found.removed.reduce((sum, { bytes }) => sum + bytes, 0);
  const allBytes = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  const keptSessions = sessions.length - found.removed.length;
  return { ...found, removedBytes, keptSessions, keptBytes: allBytes - removedBytes };
}

interface Candidate extends SessionSize {
  readonly reason: "age" | "size";
}

/** The sessions that the plan removes, and the pinned ones that are too old, which the outcome names. */
function candidates(sessions: readonly SessionSize[], retention: Retention): readonly Candidate[] {
  const { removable, reasons } = planRetention(sessions, retention);
  const { keepMs = Number.POSITIVE_INFINITY } = retention;
  const pinned = sessions.filter(({ isPinned, idleMs }) => isPinned && idleMs > keepMs);
  return [...removable, ...pinned].map((session) => ({ ...session, reason: reasons.get(session.key) ?? "age" }));
}

interface OpenStore {
  readonly store: Store;
  readonly maintenance: StoreMaintenance;
}

async function standingOf({ key, id, isPinned }: SessionSize, open: OpenStore): Promise<Standing> {
  if (isPinned) return "pinned";
  // Records of integrations are no log of messages.
  if (integrationOf(id) !== undefined || !(await open.maintenance.holds(key, PINNED_MESSAGE))) return "removable";
  try {
    return (await hasPinnedMessage(open.store, id)) ? "pinned" : "removable";
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "store-damaged") return "unreadable";
    throw error;
  }
}

async function hasPinnedMessage(store: Store, id: string): Promise<boolean> {
  const session = await createEngine({ model: "unknown", store }).session(id);
  try {
    return (await session.log()).some(({ important }) => important === true);
  } finally {
    session.close();
  }
}

function withoutMaintenance(): PalimpsestError {
  return new PalimpsestError(
    "invalid-argument",
    "Retention needs a store that can be maintained, and this one cannot. Use sqliteStore() or postgresStore(), or leave retention out.",
  );
}
