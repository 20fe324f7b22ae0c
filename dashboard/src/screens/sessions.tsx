import { useEffect, useState } from "preact/hooks";
import type { SessionInfo, SessionPage, TreeEntry } from "../api/types.ts";
import { shortNumber, usd, wholeNumber } from "../model/format.ts";
import { sessionHash, sessionsHash } from "../model/route.ts";
import { oneLine, visibleText } from "../model/safe-text.ts";
import { relationText, rewindText, type TreeRewind, type TreeRow, treeRows } from "../model/session-tree.ts";
import { Ago, Explain, Loaded } from "../parts/small-parts.tsx";
import { useResource } from "../parts/use-resource.ts";
import { RewindDialog } from "./rewind-dialog.tsx";
import { SearchResults } from "./search-results.tsx";
import { ImportSession, SessionActions } from "./session-actions.tsx";

const PAGE = 100;

/** Every session that is kept, and the search over all of them. */
export function SessionsScreen({ query }: { readonly query: string }) {
  const [limit, setLimit] = useState(PAGE);
  const listed = useResource<SessionPage>(`/sessions?limit=${limit}`);
  const tree = useResource<{ readonly sessions: readonly TreeEntry[] }>(`/session-tree?limit=${limit}`);
  const relations = tree.resource.type === "loaded" ? tree.resource.value.sessions : [];
  return (
    <>
      <div class="title">
        <h1>Sessions</h1>
        <span class="muted">what agents said through this gateway, with everything that was hidden</span>
      </div>
      <SearchForm query={query} />
      {query !== "" && <SearchResults query={query} />}
      <Loaded of={listed.resource}>
        {({ sessions, nextOffset }) => (
          <section class="card" aria-label="List of sessions">
            {sessions.length === 0 ? (
              <NoSessions onLook={listed.reload} />
            ) : (
              <SessionTable rows={treeRows(sessions, relations)} />
            )}
            <div class="row">
              {nextOffset !== undefined && limit < 1_000 && (
                <button type="button" onClick={() => setLimit(Math.min(1_000, limit * 3))}>
                  Show more
                </button>
              )}
              <ImportSession onDone={listed.reload} />
            </div>
            {hasTotals(sessions) && sessions.some(({ totals }) => totals === undefined) && (
              <p class="muted small wide-only">
                Requests, tokens and cost are counted from the start of this gateway; – means none since then. The
                Statement of a session has all of them.
              </p>
            )}
            <Explain title="What is a session?">
              One conversation of an agent: its log (every message, for ever), its view (what is sent), its folds (what
              hides one behind a stand-in). Sessions below another one came from it: a sub-agent, or a branch. A rewind
              sets the newest messages aside; it is told below its session.
            </Explain>
          </section>
        )}
      </Loaded>
    </>
  );
}

function SearchForm({ query }: { readonly query: string }) {
  const [text, setText] = useState(query);
  const submit = (event: Event) => {
    event.preventDefault();
    location.hash = sessionsHash(text.trim());
  };
  return (
    <form class="row" role="search" onSubmit={submit}>
      <label>
        <span class="hidden-text">Search everything that was ever said</span>
        <input
          type="search"
          size={38}
          placeholder="Search everything that was ever said"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Search</button>
    </form>
  );
}

/** A store may be written by programs that tell this gateway nothing. */
const LOOK_AGAIN_MS = 2_000;

function NoSessions({ onLook }: { readonly onLook: () => void }) {
  useEffect(() => {
    const timer = setInterval(onLook, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [onLook]);
  const { origin } = location;
  return (
    <>
      <h2>No session yet</h2>
      <p>A session appears here by itself as soon as an agent sends its first request through this gateway:</p>
      <ul class="steps">
        <li>
          start an agent behind it: <code>palimpsest run -- claude</code>
        </li>
        <li>
          or point one at it: <code>ANTHROPIC_BASE_URL={origin} claude</code>
        </li>
        <li>
          programs with an OpenAI SDK: <code>OPENAI_BASE_URL={origin}/v1</code>
        </li>
      </ul>
    </>
  );
}

/** Whether a session had a request since the gateway was started. */
function hasTotals(sessions: readonly SessionInfo[]): boolean {
  return sessions.some(({ totals }) => totals !== undefined);
}

function SessionTable({ rows }: { readonly rows: readonly TreeRow[] }) {
  const isCounted = hasTotals(rows.map(({ session }) => session));
  return (
    <div class="scroll sessions" tabIndex={0} role="region" aria-label="Sessions">
      <table>
        <thead>
          <tr>
            <th scope="col">session</th>
            <th scope="col">last change</th>
            {isCounted &&
              ["requests", "tokens sent", "cost"].map((name) => (
                <th key={name} scope="col" class="number wide-only">
                  {name}
                </th>
              ))}
            <th scope="col">
              <span class="hidden-text">actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) => [
            <SessionRow key={row.session.id} row={row} isCounted={isCounted} />,
            ...row.rewinds.map((rewind) => (
              <RewindRow key={`${row.session.id} ${rewind.version}`} row={row} rewind={rewind} />
            )),
          ])}
        </tbody>
      </table>
    </div>
  );
}

interface SessionRowProps {
  readonly row: TreeRow;
  /** Whether the table has columns for what was counted. */
  readonly isCounted: boolean;
}

function SessionRow({ row: { session, depth, relation }, isCounted }: SessionRowProps) {
  return (
    <tr>
      <td class="name" style={indentOf(depth)}>
        <Branch depth={depth} />
        <a href={sessionHash(session.id, "strata")}>{oneLine(session.id, 60)}</a>{" "}
        {relation !== undefined && <span class="tag">{relationText(relation)}</span>}
        <SessionTitle session={session} />
      </td>
      <td class="when">
        <Ago at={session.updatedAt} />
      </td>
      {isCounted &&
        countedOf(session).map((text, index) => (
          <td key={index} class="number wide-only">
            {text}
          </td>
        ))}
      <td class="actions">
        <SessionActions sessionId={session.id} />
      </td>
    </tr>
  );
}

function countedOf({ totals }: SessionInfo): readonly string[] {
  if (totals === undefined) return ["–", "–", "–"];
  return [wholeNumber(totals.requests), shortNumber(totals.tokensSent), usd(totals.costUsd)];
}

const MOST_INDENTED = 8;

function indentOf(depth: number) {
  return { paddingLeft: `${1.2 * Math.min(depth, MOST_INDENTED)}rem` };
}

function Branch({ depth }: { readonly depth: number }) {
  return depth === 0 ? null : (
    <span class="branch" aria-hidden="true">
      └
    </span>
  );
}

function RewindRow({ row: { session, depth }, rewind }: { readonly row: TreeRow; readonly rewind: TreeRewind }) {
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <tr class="rewind">
      <td class="name" colSpan={6} style={indentOf(depth + 1)}>
        <Branch depth={depth + 1} />
        <span class="muted small">
          {rewindText(rewind, Date.now())}; <a href={sessionHash(session.id, "strata")}>still in Strata</a>
        </span>{" "}
        {rewind.isNext && (
          <button type="button" class="plain" onClick={() => setAsking(true)}>
            Take it back…
          </button>
        )}
        {isAsking && (
          <RewindDialog
            sessionId={session.id}
            title="Take the rewind back?"
            action="Take it back"
            target={{ undo: true }}
            onClose={close}
            onDone={close}
          />
        )}
      </td>
    </tr>
  );
}

function SessionTitle({ session: { title, modelId } }: { readonly session: SessionInfo }) {
  const parts = [title === undefined ? undefined : oneLine(title, 120), modelId && visibleText(modelId)];
  const text = parts.filter((part) => part !== undefined && part !== "").join(" · ");
  return text === "" ? null : <div class="muted small">{text}</div>;
}
