import { foldCompacted, showsCompacted } from "../../core/history/fold-compacted.ts";
import { needsOtherCompactions, showForReader } from "../../core/history/foreign-compaction.ts";
import type { CompactionReader } from "../../core/message/compaction-reader.ts";
import type { LiveSession } from "./live-session.ts";

const MAX_TRIES = 5;

/**
 * Hides what the provider compacted by itself, where its reader understands the compaction; else shows it. Where others keep rewriting the
 * log, the next view does it.
 */
export async function hideCompacted({ id, log }: LiveSession, reader: CompactionReader): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const view = log.view();
    if (!showsCompacted(view) && !needsOtherCompactions(view, reader)) return;
    const base = await log.whole();
    const readable = showForReader(base.messages, { reader, taskId: id });
    if (await log.commit(base, foldCompacted(readable, id))) return;
  }
}
