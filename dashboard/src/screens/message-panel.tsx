import { sessionPath } from "../api/client.ts";
import type { StrataFold, StrataRow } from "../api/strata-types.ts";
import type { ExpandedFold, Message } from "../api/types.ts";
import { counted } from "../model/format.ts";
import { sessionHash } from "../model/route.ts";
import { causeText, kindOfFold, STATE_MEANINGS, STATE_NAMES } from "../model/strata-cells.ts";
import { type BlockToggle, MessageFrame, MessageParts, StandIns } from "../parts/message-view.tsx";
import { Loaded } from "../parts/small-parts.tsx";
import { useResource } from "../parts/use-resource.ts";
import { MessageActions } from "./message-actions.tsx";

export interface MessagePanelProps {
  readonly sessionId: string;
  readonly row: StrataRow;
  /** The block whose row was opened, where it is not the message's. */
  readonly block: number | undefined;
  readonly blocks: BlockToggle | undefined;
  readonly folds: ReadonlyMap<string, StrataFold>;
  readonly onClose: () => void;
}

/** One message: the original, beside it what is sent in its place, and what can be done. */
export function MessagePanel({ sessionId, row, block, blocks, folds, onClose }: MessagePanelProps) {
  const key = encodeURIComponent(row.id ?? `#${row.index}`);
  const { resource, reload } = useResource<Message>(sessionPath(sessionId, `/messages/${key}`), sessionId);
  const note = row.nowState === undefined ? "" : `; ${STATE_NAMES[row.nowState]} now: ${STATE_MEANINGS[row.nowState]}`;
  return (
    <MessageFrame row={row} blocks={blocks} note={note} onClose={onClose}>
      <Loaded of={resource}>
        {(message) => (
          <>
            <MessageActions sessionId={sessionId} row={row} message={message} onDone={reload} />
            <FoldLine sessionId={sessionId} message={message} folds={folds} />
            <MessageParts message={message} sending="is sent" isHidden={message.hiddenBy !== undefined} block={block} />
            {message.hiddenBy !== undefined && <FoldStandIn sessionId={sessionId} foldId={message.hiddenBy} />}
          </>
        )}
      </Loaded>
    </MessageFrame>
  );
}

interface FoldLineProps extends Pick<MessagePanelProps, "sessionId" | "folds"> {
  readonly message: Message;
}

function FoldLine({ sessionId, message, folds }: FoldLineProps) {
  const fold = folds.get(message.hiddenBy ?? message.folds?.at(-1)?.foldId ?? "");
  if (fold === undefined) return null;
  return (
    <p class="muted small">
      Folded by {kindOfFold(fold.kind)}
      <FoldedAt sessionId={sessionId} request={fold.request} />
      {fold.cause === undefined ? "" : `, because ${causeText(fold.cause)}`}.
    </p>
  );
}

/** Since when, and the way to what it changed in the request; the first request has none before it. */
function FoldedAt({ sessionId, request }: { readonly sessionId: string; readonly request: number | undefined }) {
  if (request === undefined) return null;
  const name = `request ${request + 1}`;
  const change = `${request}-${request + 1}`;
  return <> at {request === 0 ? name : <a href={sessionHash(sessionId, "diff", change)}>{name}</a>}</>;
}

/** The summary or marker that a whole message is hidden behind. */
function FoldStandIn({ sessionId, foldId }: { readonly sessionId: string; readonly foldId: string }) {
  const path = sessionPath(sessionId, `/folds/${encodeURIComponent(foldId)}?limit=1`);
  const { resource } = useResource<ExpandedFold>(path, sessionId);
  if (resource.type !== "loaded") return null;
  const { standIns, messages } = resource.value;
  const isHiddenToo = standIns.some(({ hiddenBy }) => hiddenBy !== undefined);
  return (
    <StandIns
      title={`${isHiddenToo ? "Was sent" : "Sent"} in place of it, and of ${counted(messages, "message")} in all`}
      standIns={standIns}
      sending="is sent"
    >
      {isHiddenToo && <p class="muted small">A later fold hides this stand-in too, and covers what it says.</p>}
    </StandIns>
  );
}
