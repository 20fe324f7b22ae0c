import { assertArray } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { verifyFold } from "../../core/history/verify-fold.ts";
import type { Message } from "../../core/message/message.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import type { BlockFoldResult } from "../../core/truncate/tool-results.ts";
import { assess } from "./assess.ts";
import type { LiveSession } from "./live-session.ts";

const MAX_TRIES = 5;

/** Clears tool results on request: however full the window is, and the newest results, too. Throws "not-found" for an unknown message. */
export async function clearByHand(session: LiveSession, messageIds: readonly string[]): Promise<BlockFoldResult> {
  assertArray("messageIds", messageIds);
  const { log, countTokens, id: taskId } = session;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const base = await log.whole();
    assertKnown(base.messages, messageIds);
    const { prevContextTokens } = assess(session).context;
    // On request, any gain is large enough.
    const cleared = clearToolResults(base.messages, { messageIds, countTokens, taskId, minGainTokens: 1 });
    const { foldId, messages } = cleared;
    if (foldId === undefined || verifyFold(base.messages, messages) !== undefined) {
      return { messages: base.messages, blocks: 0, gainTokens: 0 };
    }
    // Another process rewrote the log meanwhile: try again with that one.
    if (!(await log.commit(base, messages))) continue;
    const newContextTokens = assess(session).context.prevContextTokens;
    const at = session.ports.now();
    session.record({ type: "blocks_folded", at, foldIds: [foldId], prevContextTokens, newContextTokens });
    return { ...cleared, messages: (await log.whole()).messages };
  }
  throw new PalimpsestError(
    "conflict",
    `Others kept rewriting the session ${JSON.stringify(session.id)} while results were to be hidden. Try again.`,
  );
}

function assertKnown(messages: readonly Message[], ids: readonly string[]): void {
  const known = new Set(messages.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw new PalimpsestError("not-found", `The log has no message with the id ${JSON.stringify(unknown)}.`);
}
