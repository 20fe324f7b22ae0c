import { createHash } from "node:crypto";
import { listFolds } from "../../core/history/list-folds.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import { trackView } from "../../core/history/track-view.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { FoldKind } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { countMessageTokens } from "../../core/tokens/count-messages.ts";
import { foldToFit } from "../../core/truncate/fold-to-fit.ts";

export interface ReplayOptions {
  readonly contextWindow: number;
  /** The reply's allowance. */
  readonly maxTokens: number;
}

/** One request to the model. */
export interface ReplayStep {
  readonly turn: number;
  readonly turns: number;
  readonly contextWindow: number;
  /** Size of all that was said so far. */
  readonly logTokens: number;
  /** Size of the view before folding; the same as `viewTokens` when nothing had to be folded. */
  readonly tokensBefore: number;
  readonly viewTokens: number;
  /** Kinds of the folds made for this request. */
  readonly folds: readonly FoldKind[];
}

export interface ReplayResult {
  readonly turns: number;
  readonly messages: number;
  readonly logTokens: number;
  readonly contextWindow: number;
  readonly allowedTokens: number;
  readonly peakViewTokens: number;
  readonly overflows: number;
  readonly invalidViews: number;
  readonly folds: Readonly<Partial<Record<FoldKind, number>>>;
  readonly messagesHidden: number;
  readonly tokensHidden: number;
  readonly bytesLost: number;
  /** SHA-256 of the session as it came in, and of the final log with every fold removed. */
  readonly hashBefore: string;
  readonly hashAfter: string;
}

/** Appends a session message by message and makes every view fit that an agent would have sent. */
export function* replay(session: readonly Message[], options: ReplayOptions): Generator<ReplayStep, ReplayResult> {
  const allowed = allowedTokens(options);
  const turns = session.filter((message) => message.role === "assistant").length;
  const tracker = trackView([], countContentTokens);
  const seen = { turn: 0, logTokens: 0, peakViewTokens: 0, overflows: 0, invalidViews: 0 };
  for (const message of session) {
    if (message.role === "assistant") {
      const step = prepare();
      seen.turn += 1;
      seen.peakViewTokens = Math.max(seen.peakViewTokens, step.viewTokens);
      if (step.viewTokens > allowed) seen.overflows += 1;
      if (validateView(tracker.view()).length > 0) seen.invalidViews += 1;
      const { turn, logTokens } = seen;
      yield { ...step, turn, turns, logTokens, contextWindow: options.contextWindow };
    }
    tracker.append(message);
    seen.logTokens += countMessageTokens(message);
  }

  function prepare(): Pick<ReplayStep, "tokensBefore" | "viewTokens" | "folds"> {
    const tokensBefore = tracker.tokens();
    if (tokensBefore <= allowed) return { tokensBefore, viewTokens: tokensBefore, folds: [] };
    const folded = foldToFit(tracker.log(), {
      allowedTokens: allowed,
      countTokens: countContentTokens,
      taskId: "demo",
    });
    tracker.replace(folded.messages);
    const kinds = new Map(listFolds(folded.messages).map((fold) => [fold.foldId, fold.kind]));
    const folds = folded.foldIds.flatMap((foldId) => kinds.get(foldId) ?? []);
    return { tokensBefore, viewTokens: tracker.tokens(), folds };
  }

  const restored = restoreAllMessages(tracker.log());
  return {
    turns,
    messages: session.length,
    logTokens: seen.logTokens,
    contextWindow: options.contextWindow,
    allowedTokens: allowed,
    peakViewTokens: seen.peakViewTokens,
    overflows: seen.overflows,
    invalidViews: seen.invalidViews,
    folds: countByKind(tracker.log()),
    messagesHidden: session.length - tracker.view().filter((message) => !isStandIn(message)).length,
    tokensHidden: seen.logTokens - tracker.tokens(),
    bytesLost: countLostBytes(session, restored),
    hashBefore: hashOf(session),
    hashAfter: hashOf(restored),
  };
}

function countByKind(messages: readonly Message[]): Partial<Record<FoldKind, number>> {
  const counts: Partial<Record<FoldKind, number>> = {};
  for (const { kind } of listFolds(messages)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Bytes of original messages that do not come back exactly. */
function countLostBytes(original: readonly Message[], restored: readonly Message[]): number {
  let lost = 0;
  for (const [index, message] of original.entries()) {
    const text = JSON.stringify(message);
    if (text !== JSON.stringify(restored[index])) lost += Buffer.byteLength(text);
  }
  return lost;
}

function hashOf(messages: readonly Message[]): string {
  return createHash("sha256").update(JSON.stringify(messages)).digest("hex");
}
