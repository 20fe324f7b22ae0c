import type { Fold } from "../../core/history/list-folds.ts";
import { collectStandIns, isHidden, isStandIn } from "../../core/message/effective-view.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countOf } from "../../core/truncate/stand-in.ts";
import type { Session } from "../session/session.ts";

/** The methods of a session that tell how full its window is. */
export type MeasuredSession = Pick<Session, "snapshot" | "events" | "folds">;

const MAX_FOLDS = 20;

/** How full the window of a session is and what is hidden, in a few lines for a model. */
export async function usageText(session: MeasuredSession): Promise<string> {
  const { log, view } = await session.snapshot();
  const standIns = collectStandIns(log);
  const spoken = log.filter((message) => !isStandIn(message));
  const hidden = spoken.filter((message) => isHidden(message, standIns)).length;
  const pinned = spoken.flatMap(({ id, important }) => (important === true && id !== undefined ? [id] : []));
  const request = (await session.events()).findLast((event) => event.type === "request");
  const size =
    request === undefined
      ? `What is sent of the conversation takes ${countOf(countMessagesTokens(view), "token")}; no request was recorded yet.`
      : `The last prompt took ${countOf(request.promptTokens, "token")} of ${countOf(request.contextWindow, "token")}, ` +
        `${Math.round((100 * request.promptTokens) / request.contextWindow)} %; at most ${countOf(request.allowedTokens, "token")} are sent.`;
  const pins = pinned.length === 0 ? "" : ` Pinned: ${pinned.join(", ")}.`;
  const counts = `Of ${countOf(spoken.length, "message")}, ${hidden} ${hidden === 1 ? "is" : "are"} hidden.${pins}`;
  return [size, counts, foldsText(await session.folds())].join("\n");
}

function foldsText(folds: readonly Fold[]): string {
  if (folds.length === 0) return "There are no folds.";
  const shown = folds.slice(-MAX_FOLDS).map(({ foldId, messages, blocks }) => {
    return `${foldId} (${messages > 0 ? countOf(messages, "message") : countOf(blocks, "block")})`;
  });
  const older = folds.length > MAX_FOLDS ? `${folds.length - MAX_FOLDS} older ones, ` : "";
  return `Folds: ${older}${shown.join(", ")}.`;
}
