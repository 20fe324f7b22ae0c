import type { StoredCheckpoint } from "../../core/ports/store.ts";

/** The checkpoints of all sessions. */
export interface MemoryCheckpoints {
  save(sessionKey: number, checkpoint: StoredCheckpoint): void;
  /** The newest come first. */
  list(sessionKey: number): readonly StoredCheckpoint[];
  delete(sessionKey: number, checkpointId: string): boolean;
  forget(sessionKey: number): void;
}

export function createMemoryCheckpoints(): MemoryCheckpoints {
  const checkpointsOf = new Map<number, Map<string, StoredCheckpoint>>();

  return {
    save(sessionKey, { id, at, body }) {
      const checkpoints = checkpointsOf.get(sessionKey) ?? new Map<string, StoredCheckpoint>();
      // Deleted first, so that the map's order is the order of saving.
      checkpoints.delete(id);
      checkpointsOf.set(sessionKey, checkpoints.set(id, Object.freeze({ id, at, body })));
    },
    list(sessionKey) {
      const checkpoints = [...(checkpointsOf.get(sessionKey)?.values() ?? [])];
      return checkpoints.reverse().sort((a, b) => b.at - a.at);
    },
    delete(sessionKey, checkpointId) {
      return checkpointsOf.get(sessionKey)?.delete(checkpointId) ?? false;
    },
    forget(sessionKey) {
      checkpointsOf.delete(sessionKey);
    },
  };
}
