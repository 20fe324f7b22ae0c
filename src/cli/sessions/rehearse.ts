import type { Store } from "../../core/ports/store.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { Session } from "../../engine/session/session.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";

/** A copy of a session in memory, on which anything can be tried; its files are only named, never touched. */
export async function rehearsalOf(session: Session, store: Store): Promise<Session> {
  const copy = memoryStore();
  const engine = createEngine({ model: "claude-sonnet-4-5", store: copy });
  (await engine.importSession(await session.export())).close();
  const [original, rehearsed] = [await store.find(session.id), await copy.open(session.id)];
  const checkpoints = original === undefined ? [] : await store.listCheckpoints(original.key);
  for (const checkpoint of checkpoints.toReversed()) await copy.saveCheckpoint(rehearsed.key, checkpoint);
  return engine.session(session.id, { workspace: NO_FILES });
}

const NO_FILES: WorkspaceFiles = {
  save: async () => ({ id: "rehearsal" }),
  restore: async () => ({ savedId: "rehearsal" }),
};
