import { useEffect, useRef, useState } from "preact/hooks";
import { sessionPath } from "../api/client.ts";
import type { StrataRow } from "../api/strata-types.ts";
import type { Message } from "../api/types.ts";
import { useGateway } from "../parts/gateway-context.ts";
import { Failure } from "../parts/small-parts.tsx";
import { messageOf } from "../parts/use-resource.ts";
import { BringBack, type Restored } from "./bring-back.tsx";
import { RewindDialog } from "./rewind-dialog.tsx";

interface MessageActionsProps {
  readonly sessionId: string;
  readonly row: StrataRow;
  readonly message: Message;
  readonly onDone: () => void;
}

type Open = "nothing" | "bring-back" | "rewind" | "undo" | "take-back";

/** Bring back, pin, and rewind to a message. */
export function MessageActions({ sessionId, row, message, onDone }: MessageActionsProps) {
  const { api } = useGateway();
  const [open, setOpen] = useState<Open>("nothing");
  const [failure, setFailure] = useState<string>();
  const [restored, setRestored] = useState<Restored>();
  const [isRewound, setRewound] = useState(false);
  const foldId = message.hiddenBy ?? message.folds?.at(-1)?.foldId ?? message.standsFor?.foldId;
  const close = () => setOpen("nothing");
  const done = () => {
    close();
    onDone();
  };
  const pin = async () => {
    setFailure(undefined);
    try {
      const important = message.important !== true;
      await api.send("POST", sessionPath(sessionId, "/pin"), { messageId: row.id, important });
      onDone();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <>
      <div class="row">
        {foldId !== undefined && (
          <button type="button" class="primary" onClick={() => setOpen("bring-back")}>
            Bring back…
          </button>
        )}
        {row.id !== undefined && row.standIn !== true && row.isRewound !== true && (
          <>
            <button type="button" aria-pressed={message.important === true} onClick={() => void pin()}>
              {message.important === true ? "Unpin" : "Pin"}
            </button>
            <button type="button" onClick={() => setOpen("rewind")}>
              Rewind to here…
            </button>
          </>
        )}
        <span class="muted small">
          A pinned message stays visible for as long as anything else can be hidden instead.
        </span>
      </div>
      {restored !== undefined && (
        <Done undo="Undo…" onUndo={() => setOpen("undo")}>
          It is back: the next request shows it.
        </Done>
      )}
      {isRewound && (
        <Done undo="Take it back…" onUndo={() => setOpen("take-back")}>
          The session ends here now.
        </Done>
      )}
      {failure !== undefined && <Failure message={failure} />}
      {open === "take-back" && (
        <RewindDialog
          sessionId={sessionId}
          title="Take the rewind back?"
          action="Take it back"
          target={{ undo: true }}
          onClose={close}
          onDone={() => {
            setRewound(false);
            done();
          }}
        />
      )}
      {open === "bring-back" && foldId !== undefined && (
        <BringBack
          sessionId={sessionId}
          foldId={foldId}
          messageId={message.hiddenBy === undefined ? undefined : row.id}
          onClose={close}
          onDone={(what) => {
            setRestored(what);
            done();
          }}
        />
      )}
      {open === "undo" && restored !== undefined && (
        <RewindDialog
          sessionId={sessionId}
          title="Hide it again?"
          action="Hide it again"
          target={{ toVersion: restored.versionBefore }}
          onClose={close}
          onDone={() => {
            setRestored(undefined);
            done();
          }}
        />
      )}
      {open === "rewind" && row.id !== undefined && (
        <RewindDialog
          sessionId={sessionId}
          title={`Rewind to message ${row.index + 1}?`}
          action="Rewind"
          target={{ toMessage: row.id }}
          onClose={close}
          onDone={() => {
            setRewound(true);
            done();
          }}
        />
      )}
    </>
  );
}

interface DoneProps {
  readonly children: string;
  readonly undo: string;
  readonly onUndo: () => void;
}

/** What was done, with the way back. It takes the focus: the button that was pressed may be gone. */
function Done({ children, undo, onUndo }: DoneProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <p class="notice" role="status">
      {children}{" "}
      <button ref={button} type="button" class="plain" onClick={onUndo}>
        {undo}
      </button>
    </p>
  );
}
