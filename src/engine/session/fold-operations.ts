import { assert, assertNumber } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { restoreMessages } from "../../core/history/restore.ts";
import { type MessageSpan, restoreSpan } from "../../core/history/restore-span.ts";
import type { Message } from "../../core/message/message.ts";
import type { MessageWire } from "../../messages/wires.ts";
import { createBackground } from "./background.ts";
import { clearByHand } from "./clear-by-hand.ts";
import { condenseByHand } from "./condense-by-hand.ts";
import { hideCompacted } from "./hide-compacted.ts";
import type { LiveSession } from "./live-session.ts";
import { createPrepare, type PrepareOptions } from "./prepare.ts";
import { createPromptPrepare, type PrepareAsOptions, type PreparedPrompt } from "./prepare-prompt.ts";
import { CLEARING_EVENTS, clearingOf, isClearing } from "./provider-clearing.ts";
import type { Prepared } from "./report.ts";
import type { Session } from "./session.ts";
import type { SessionContext } from "./session-context.ts";

type FoldOperations = Pick<
  Session,
  "append" | "appendAfter" | "prepare" | "hideCompacted" | "condense" | "clearResults" | "restore"
>;

/** The operations that append messages, make folds and undo them. */
export function foldOperations({ live, requests, enqueue }: SessionContext): FoldOperations {
  const { log } = live;
  const background = createBackground(live);
  const prepare = createPromptPrepare(createPrepare(live, { background, requests }), live.systemPrompt);
  function prepareView(options?: PrepareOptions): Promise<Prepared>;
  function prepareView<Wire extends MessageWire>(options: PrepareAsOptions<Wire>): Promise<PreparedPrompt<Wire>>;
  function prepareView(options: PrepareOptions = {}) {
    return enqueue(() => prepare(options));
  }
  return {
    append: async (...added) => log.append(added),
    appendAfter: async (version, ...added) => {
      assertNumber("version", version, 0);
      return log.appendAfter(version, added);
    },
    prepare: prepareView,
    hideCompacted: () => enqueue(() => hideCompacted(live, "any")),
    condense: (byHand = {}) => enqueue(() => condenseByHand(live, background, byHand)),
    clearResults: (messageIds) => enqueue(() => clearByHand(live, messageIds)),
    restore: (target) =>
      enqueue(() => (typeof target === "string" ? restoreFold(live, target) : showSpan(live, target))),
  };
}

/** Undoes one fold. A fold that the provider made changed nothing in the log: only the event says that it is undone. */
async function restoreFold(live: LiveSession, foldId: string): Promise<void> {
  const { log, ports } = live;
  const at = ports.now();
  if (isClearing(foldId, clearingOf(await log.events(CLEARING_EVENTS)))) {
    log.record({ type: "restored", at, foldId });
    return log.flush();
  }
  await rewriteLog(live, foldId, (messages) => restoreMessages(messages, foldId));
  log.record({ type: "restored", at, foldId });
}

async function showSpan(live: LiveSession, span: MessageSpan): Promise<void> {
  const at = live.ports.now();
  const isSpan = typeof span === "object" && span !== null && !Array.isArray(span);
  assert(isSpan, "target", span, "the id of a fold, or { from, to } with the ids of messages");
  const { from, to } = span;
  const isShown = await rewriteLog(live, `${from} to ${to}`, (messages) => restoreSpan(messages, { from, to }));
  if (isShown) live.log.record({ type: "span_restored", at, from, to });
}

const MAX_RESTORE_TRIES = 5;

/**
 * Commits what `restore` makes of the log, again when another process rewrote the log meanwhile. False where `restore` changed nothing.
 * Throws "conflict" after too many tries, with `what` was to be restored.
 */
async function rewriteLog(
  { id, log }: LiveSession,
  what: string,
  restore: (messages: readonly Message[]) => readonly Message[],
): Promise<boolean> {
  for (let tries = 0; tries < MAX_RESTORE_TRIES; tries++) {
    const base = await log.whole();
    const restored = restore(base.messages);
    if (restored === base.messages) return false;
    if (await log.commit(base, restored)) return true;
  }
  throw new PalimpsestError(
    "conflict",
    `Others kept rewriting the session ${JSON.stringify(id)} while ${what} was to be restored. Try again.`,
  );
}
