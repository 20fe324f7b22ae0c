import { useState } from "preact/hooks";
import { sessionPath } from "../api/client.ts";
import type { Finding } from "../api/types.ts";
import { counted, usd } from "../model/format.ts";
import { sessionHash } from "../model/route.ts";
import { oneLine, visibleText } from "../model/safe-text.ts";
import { useGateway } from "../parts/gateway-context.ts";
import { Dialog, Explain, Failure, Loaded } from "../parts/small-parts.tsx";
import { messageOf, useResource } from "../parts/use-resource.ts";

/** What wastes room or money in a session, and what can be done about it. */
export function FindingsScreen({ sessionId }: { readonly sessionId: string }) {
  const { resource, reload } = useResource<{ readonly findings: readonly Finding[] }>(
    sessionPath(sessionId, "/findings"),
    sessionId,
  );
  return (
    <Loaded of={resource}>
      {({ findings }) => (
        <>
          {findings.length === 0 && <NothingFound />}
          {findings.map((finding, index) => (
            <FindingCard key={`${finding.kind} ${index}`} finding={finding} sessionId={sessionId} onDone={reload} />
          ))}
          {findings.length > 0 && (
            <Explain title="What is looked for?">{LOOKED_FOR.map(([name]) => name).join("; ")}.</Explain>
          )}
        </>
      )}
    </Loaded>
  );
}

const LOOKED_FOR = [
  ["files that are in the window more than once", "older copies can be hidden"],
  ["tools that are described in each request and never called", "each request pays for them"],
  ["one result that fills a third of the window", "it can be hidden; a stub stays"],
  ["folds that are undone soon after", "the policy hides what is needed"],
  ["instructions that are no longer visible", "the agent may forget them"],
  ["requests after the cache went cold", "the whole prompt was paid in full"],
] as const;

function NothingFound() {
  return (
    <section class="card">
      <h2>Nothing to mend</h2>
      <p>Nothing was found that wastes room or money in this session. What was looked for:</p>
      <ul class="steps">
        {LOOKED_FOR.map(([name, meaning]) => (
          <li key={name}>
            {name} <span class="muted">({meaning})</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FindingCardProps {
  readonly finding: Finding;
  readonly sessionId: string;
  readonly onDone: () => void;
}

function FindingCard({ finding, sessionId, onDone }: FindingCardProps) {
  const { api } = useGateway();
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { action, messageIds = [] } = finding;
  const act = async () => {
    setAsking(false);
    if (action === undefined) return;
    try {
      const path = action.path.replace(/^\/palimpsest\/api/, "");
      const done = await api.send<{ readonly error?: string }>(action.method, path, action.body);
      setFailure(done.error);
      onDone();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <section class="card">
      <div class="title">
        <h2>{visibleText(finding.title)}</h2>
        <span class="muted">
          {counted(finding.tokens, "token")}
          {finding.usd === undefined ? "" : `, ${usd(finding.usd)}`}
          {finding.per === "request" ? " with each request" : finding.per === "session" ? " so far" : ""}
        </span>
      </div>
      <p>{visibleText(finding.detail)}</p>
      <div class="row">
        {action !== undefined && (
          <button type="button" class="primary" onClick={() => setAsking(true)}>
            {oneLine(action.label, 60)}
          </button>
        )}
        {action === undefined && finding.noAction !== undefined && (
          <span class="muted">{visibleText(finding.noAction)}</span>
        )}
        {messageIds.slice(0, 3).map((id) => (
          <a key={id} href={sessionHash(sessionId, "strata", id)}>
            show {oneLine(id, 16)} in Strata
          </a>
        ))}
      </div>
      {failure !== undefined && <Failure message={failure} />}
      {isAsking && action !== undefined && (
        <Dialog title={`${oneLine(action.label, 60)}?`} onClose={() => setAsking(false)}>
          <p>{visibleText(finding.detail)}</p>
          <div class="row">
            <button type="button" class="primary" onClick={() => void act()}>
              {oneLine(action.label, 60)}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
