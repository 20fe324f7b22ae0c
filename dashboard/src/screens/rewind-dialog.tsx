import { useEffect, useState } from "preact/hooks";
import { ApiError, sessionPath } from "../api/client.ts";
import type { Rewound } from "../api/types.ts";
import { counted } from "../model/format.ts";
import { oneLine } from "../model/safe-text.ts";
import { useGateway } from "../parts/gateway-context.ts";
import { Dialog, Failure } from "../parts/small-parts.tsx";
import { messageOf } from "../parts/use-resource.ts";

interface RewindDialogProps {
  readonly sessionId: string;
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  readonly target: { readonly toVersion: number } | { readonly toMessage: string } | { readonly undo: true };
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface Preview {
  readonly messages: Rewound;
  /** Undefined where no files are kept. */
  readonly files: Rewound | undefined;
}

const MOST_PATHS = 12;

/** Shows what a rewind would do, and does it. */
export function RewindDialog({ sessionId, title, action, target, onClose, onDone }: RewindDialogProps) {
  const { api } = useGateway();
  const [preview, setPreview] = useState<Preview>();
  const [withFiles, setWithFiles] = useState(false);
  const [failure, setFailure] = useState<string>();
  const path = sessionPath(sessionId, "/rewind");
  const send = (options: object) => api.send<Rewound>("POST", path, { ...target, ...options });
  useEffect(() => {
    const look = async () => {
      const messages = await send({ dryRun: true });
      const files = await send({ dryRun: true, files: true }).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === "no-file-checkpoints") return undefined;
        throw error;
      });
      setPreview({ messages, files });
    };
    look().catch((error: unknown) => setFailure(messageOf(error)));
  }, []);
  const rewind = () =>
    void send(withFiles ? { files: true } : {}).then(onDone, (error: unknown) => setFailure(messageOf(error)));
  return (
    <Dialog title={title} onClose={onClose}>
      {preview === undefined ? <p class="muted">Looking at what would change…</p> : <PreviewText preview={preview} />}
      {preview?.files !== undefined && (
        <label>
          <input type="checkbox" checked={withFiles} onChange={(event) => setWithFiles(event.currentTarget.checked)} />{" "}
          also the agent's files ({counted(preview.files.files?.changed.length ?? 0, "file")} would change)
        </label>
      )}
      {withFiles && <Paths rewound={preview?.files} />}
      {failure !== undefined && <Failure message={failure} />}
      <div class="row">
        <button type="button" class="primary" disabled={preview === undefined} onClick={rewind}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Leave it as it is
        </button>
      </div>
    </Dialog>
  );
}

function PreviewText({ preview: { messages } }: { readonly preview: Preview }) {
  const { messagesRemoved } = messages;
  if (messagesRemoved === 0) return <p>No message leaves the log: only what is hidden changes.</p>;
  return (
    <p>
      {messagesRemoved > 0
        ? `${counted(messagesRemoved, "message")} would leave the log. They stay readable and searchable, and a rewind can be taken back.`
        : `${counted(-messagesRemoved, "message")} would come back.`}
    </p>
  );
}

function Paths({ rewound }: { readonly rewound: Rewound | undefined }) {
  const changed = rewound?.files?.changed ?? [];
  return (
    <ul class="small">
      {changed.slice(0, MOST_PATHS).map(({ path, type }) => (
        <li key={path}>
          {oneLine(path, 90)} is {type}
        </li>
      ))}
      {changed.length > MOST_PATHS && <li>and {counted(changed.length - MOST_PATHS, "other")}</li>}
    </ul>
  );
}
