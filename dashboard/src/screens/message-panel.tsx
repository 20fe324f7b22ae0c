import { useLayoutEffect, useRef } from "preact/hooks";
import { sessionPath } from "../api/client.ts";
import type { StrataFold, StrataRow } from "../api/strata-types.ts";
import type { ExpandedFold, Message } from "../api/types.ts";
import { counted, shortNumber } from "../model/format.ts";
import { type MessagePart, messageParts } from "../model/message-parts.ts";
import { causeText, kindName, STATE_MEANINGS, STATE_NAMES, speakerOf } from "../model/strata-cells.ts";
import { Loaded, TextBlock } from "../parts/small-parts.tsx";
import { useResource } from "../parts/use-resource.ts";
import { MessageActions } from "./message-actions.tsx";

export interface MessagePanelProps {
  readonly sessionId: string;
  readonly row: StrataRow;
  readonly folds: ReadonlyMap<string, StrataFold>;
  readonly onClose: () => void;
}

/** One message: the original, beside it what is sent in its place, and what can be done. */
export function MessagePanel({ sessionId, row, folds, onClose }: MessagePanelProps) {
  const key = encodeURIComponent(row.id ?? `#${row.index}`);
  const { resource, reload } = useResource<Message>(sessionPath(sessionId, `/messages/${key}`), sessionId);
  const heading = useRef<HTMLHeadingElement>(null);
  // At once, not after the next frame: by then a person may have pressed a key elsewhere.
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <section class="card" aria-label={`Message ${row.index + 1}`}>
      <div class="row">
        <h2 ref={heading} tabIndex={-1}>
          Message {row.index + 1}
        </h2>
        <span class="muted">
          {speakerOf(row)}, {kindName(row)}, {counted(row.tokens, "token")}
          {row.nowState === undefined ? "" : `; ${STATE_NAMES[row.nowState]} now: ${STATE_MEANINGS[row.nowState]}`}
        </span>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Loaded of={resource}>
        {(message) => (
          <>
            <MessageActions sessionId={sessionId} row={row} message={message} onDone={reload} />
            <FoldLine message={message} folds={folds} />
            <Parts message={message} sessionId={sessionId} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function FoldLine({ message, folds }: { readonly message: Message; readonly folds: MessagePanelProps["folds"] }) {
  const fold = folds.get(message.hiddenBy ?? message.folds?.at(-1)?.foldId ?? "");
  if (fold === undefined) return null;
  return (
    <p class="muted small">
      Folded by {fold.kind}
      {fold.request === undefined ? "" : ` at request ${fold.request + 1}`}
      {fold.cause === undefined ? "" : `, because ${causeText(fold.cause)}`}.
    </p>
  );
}

function Parts({ message, sessionId }: { readonly message: Message; readonly sessionId: string }) {
  const isWholeHidden = message.hiddenBy !== undefined;
  return (
    <>
      {messageParts(message).map((part, index) => (
        <div class="beside" key={index}>
          <div>
            <h3>{isWholeHidden || part.standIn !== undefined ? `${part.title}, the original` : part.title}</h3>
            <TextBlock text={part.text} label={`${part.title}, the original`} />
          </div>
          {part.standIn !== undefined && <StandIn standIn={part.standIn} />}
        </div>
      ))}
      {message.hiddenBy !== undefined && <FoldStandIn sessionId={sessionId} foldId={message.hiddenBy} />}
    </>
  );
}

function StandIn({ standIn }: { readonly standIn: NonNullable<MessagePart["standIn"]> }) {
  return (
    <div>
      <h3>Sent in its place ({shortNumber(standIn.hiddenTokens)} tokens hidden)</h3>
      <TextBlock text={standIn.text} label="What is sent in its place" />
    </div>
  );
}

/** The summary or marker that a whole message is hidden behind. */
function FoldStandIn({ sessionId, foldId }: { readonly sessionId: string; readonly foldId: string }) {
  const path = sessionPath(sessionId, `/folds/${encodeURIComponent(foldId)}?limit=1`);
  const { resource } = useResource<ExpandedFold>(path, sessionId);
  if (resource.type !== "loaded") return null;
  const { standIns, messages } = resource.value;
  const isHiddenToo = standIns.some(({ hiddenBy }) => hiddenBy !== undefined);
  return (
    <div>
      <h3>Sent in place of it, and of {counted(messages, "message")} in all</h3>
      {isHiddenToo && <p class="muted small">A later fold hides this stand-in too, and covers what it says.</p>}
      {standIns.flatMap(messageParts).map((part, index) => (
        <TextBlock key={index} text={part.text} label="What is sent in its place" />
      ))}
    </div>
  );
}
