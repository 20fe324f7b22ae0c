import { useRef, useState } from "preact/hooks";
import { sessionPath } from "../api/client.ts";
import { counted } from "../model/format.ts";
import { oneLine, visibleText } from "../model/safe-text.ts";
import { useGateway } from "../parts/gateway-context.ts";
import { Dialog, Failure } from "../parts/small-parts.tsx";
import { messageOf } from "../parts/use-resource.ts";

type Verified =
  | { readonly type: "intact"; readonly records: number }
  | { readonly type: "damaged"; readonly records: number; readonly problem: string };

type Open =
  | { readonly type: "none" }
  | { readonly type: "delete" }
  | { readonly type: "told"; readonly title: string; readonly text: string }
  | { readonly type: "failed"; readonly message: string };

/** Verify, export and delete one session. */
export function SessionActions({ sessionId }: { readonly sessionId: string }) {
  const { api } = useGateway();
  const [open, setOpen] = useState<Open>({ type: "none" });
  const close = () => setOpen({ type: "none" });
  const attempt = (work: () => Promise<void>) => () =>
    void work().catch((error: unknown) => setOpen({ type: "failed", message: messageOf(error) }));
  const verify = attempt(async () => {
    const verified = await api.get<Verified>(sessionPath(sessionId, "/verify"));
    setOpen({ type: "told", title: "Verified", text: verifiedText(verified) });
  });
  const save = attempt(async () => {
    const response = await api.open(sessionPath(sessionId, "/export"));
    offerFile(`${sessionId.replace(/[^\w.-]+/g, "-")}.json`, await response.blob());
  });
  const remove = attempt(async () => {
    await api.send("DELETE", sessionPath(sessionId), {});
    close();
  });
  const name = oneLine(sessionId, 60);
  return (
    <span class="row session-actions">
      <button type="button" class="plain" aria-label={`Verify ${name}`} onClick={verify}>
        Verify
      </button>
      <button type="button" class="plain" aria-label={`Export ${name}`} onClick={save}>
        Export
      </button>
      <button type="button" class="plain" aria-label={`Delete ${name}`} onClick={() => setOpen({ type: "delete" })}>
        Delete
      </button>
      {open.type === "delete" && (
        <Dialog title={`Delete ${name}?`} onClose={close}>
          <p>
            Its log, its folds, its checkpoints and its statement are destroyed. Nothing brings them back; export the
            session first if you may want it.
          </p>
          <div class="row">
            <button type="button" class="primary" onClick={remove}>
              Delete for ever
            </button>
            <button type="button" onClick={close}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
      {(open.type === "told" || open.type === "failed") && (
        <Dialog title={open.type === "told" ? open.title : "That did not work"} onClose={close}>
          {open.type === "told" ? <p>{visibleText(open.text)}</p> : <Failure message={open.message} />}
          <div class="row">
            <button type="button" onClick={close}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </span>
  );
}

function verifiedText(verified: Verified): string {
  const records = counted(verified.records, "record");
  if (verified.type === "damaged")
    return `Not all is what was written. ${verified.problem} (${records} could be read.)`;
  return `It is intact: each of ${records} carries a hash of the ones before it, and all of them agree.`;
}

function offerFile(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Makes a session of an exported file. */
export function ImportSession({ onDone }: { readonly onDone: () => void }) {
  const { api } = useGateway();
  const chooser = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<string>();
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    setFailure(undefined);
    try {
      const headers = { "content-type": "application/json" };
      await api.open("/session-import", { method: "POST", headers, body: file });
      onDone();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <>
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label="A session that was exported"
        accept="application/json"
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <button type="button" onClick={() => chooser.current?.click()}>
        Import a session…
      </button>
      {failure !== undefined && <Failure message={failure} />}
    </>
  );
}
