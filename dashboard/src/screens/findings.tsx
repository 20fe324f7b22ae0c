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
  const [done, setDone] = useState<string>();
  return (
    <Loaded of={resource}>
      {({ findings }) => (
        <>
          {done !== undefined && (
            <p class="notice" role="status">
              Done: {done}. The next request shows it.{" "}
              <a href={sessionHash(sessionId, "strata")}>Look at it in Strata</a>
            </p>
          )}
          {findings.length === 0 && <NothingFound />}
          {findings.map((finding, index) => (
            <FindingCard
              key={`${finding.kind} ${index}`}
              finding={finding}
              sessionId={sessionId}
              onDone={(what) => {
                setDone(what);
                reload();
              }}
            />
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
  ["folds in quick succession", "each makes the provider cache a part of the prompt again"],
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
  /** Called with what was done. */
  readonly onDone: (what: string) => void;
}

/** What a button does to the next request, and how it is undone. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  "repeated-read":
    "The next request has a line in place of each older read; the newest one stays. Nothing is lost: Strata brings each of them back.",
  "large-result":
    "The next request has a line in its place. Nothing is lost: Strata brings it back, and the agent can ask its tool again.",
  "hidden-instruction": "The next request has it again, word for word, where it stood.",
};

function FindingCard({ finding, sessionId, onDone }: FindingCardProps) {
  const { api } = useGateway();
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { action } = finding;
  const act = async () => {
    setAsking(false);
    if (action === undefined) return;
    try {
      const path = action.path.replace(/^\/palimpsest\/api/, "");
      const done = await api.send<{ readonly error?: string }>(action.method, path, action.body);
      setFailure(done.error);
      if (done.error === undefined) onDone(oneLine(action.label, 60));
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
      <Names names={finding.names} />
      <div class="row">
        {action !== undefined && (
          <button type="button" class="primary" onClick={() => setAsking(true)}>
            {oneLine(action.label, 60)}…
          </button>
        )}
        {action === undefined && finding.noAction !== undefined && (
          <span class="muted">{visibleText(finding.noAction)}</span>
        )}
        <Places messageIds={finding.messageIds} sessionId={sessionId} />
      </div>
      {failure !== undefined && <Failure message={failure} />}
      {isAsking && action !== undefined && (
        <Dialog title={`${oneLine(action.label, 60)}?`} onClose={() => setAsking(false)}>
          <p>{visibleText(finding.detail)}</p>
          <p>{CONSEQUENCES[finding.kind]}</p>
          <p>Everything after it is paid in full once, because the provider's cache ends where a request changes.</p>
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

const FIRST_NAMES = 12;

/** Of files or tools. */
function Names({ names }: Pick<Finding, "names">) {
  if (names.length === 0) return null;
  const others = names.length - FIRST_NAMES;
  return (
    <p class="small names">
      {names.slice(0, FIRST_NAMES).map((name) => (
        <code key={name}>{oneLine(name, 80)}</code>
      ))}
      {others > 0 && <span class="muted">and {counted(others, "other")}</span>}
    </p>
  );
}

const PLACES = ["first", "second", "third"];

interface PlacesProps {
  readonly messageIds: readonly string[];
  readonly sessionId: string;
}

/** The way to the messages that a finding is about. */
function Places({ messageIds, sessionId }: PlacesProps) {
  if (messageIds.length === 0) return null;
  const [only] = messageIds;
  if (messageIds.length === 1) return <a href={sessionHash(sessionId, "strata", only)}>show it in Strata</a>;
  return (
    <span class="row">
      <span class="muted">{counted(messageIds.length, "message")}, in Strata:</span>
      {messageIds.slice(0, PLACES.length).map((id, index) => (
        <a key={id} href={sessionHash(sessionId, "strata", id)}>
          the {PLACES[index]}
        </a>
      ))}
    </span>
  );
}
