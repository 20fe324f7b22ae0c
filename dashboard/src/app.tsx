import { useEffect, useMemo, useState } from "preact/hooks";
import { createApi, savedToken } from "./api/client.ts";
import { type Connection, followLive, type Live } from "./api/live.ts";
import { type Route, readRoute, sessionsHash } from "./model/route.ts";
import { Gateway } from "./parts/gateway-context.ts";
import { SCREEN_NAMES, SessionView } from "./parts/session-view.tsx";
import { Failure, Guarded } from "./parts/small-parts.tsx";
import { DiffScreen } from "./screens/diff.tsx";
import { FindingsScreen } from "./screens/findings.tsx";
import { NowScreen } from "./screens/now.tsx";
import { SessionsScreen } from "./screens/sessions.tsx";
import { StatementScreen } from "./screens/statement.tsx";
import { StrataScreen } from "./screens/strata.tsx";

/** The whole page: a header, and the screen that the address names. */
export function App() {
  const [needsToken, setNeedsToken] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const route = useRoute();
  const gateway = useMemo(() => {
    const api = createApi(() => setNeedsToken(true));
    return { api, live: followLive(api) };
  }, [attempt]);
  useEffect(() => () => gateway.live.close(), [gateway]);
  useEffect(() => {
    document.title = titleOf(route);
  }, [route]);
  const enter = (token: string) => {
    savedToken.set(token);
    setNeedsToken(false);
    setAttempt(attempt + 1);
  };
  return (
    <Gateway.Provider value={gateway}>
      <header class="top">
        <a class="brand" href={sessionsHash()}>
          Palimpsest
        </a>
        {!needsToken && <LiveStatus live={gateway.live} />}
      </header>
      <main>
        {needsToken ? <TokenForm isRefused={attempt > 0} onEnter={enter} /> : <Screen key={attempt} route={route} />}
      </main>
    </Gateway.Provider>
  );
}

function Screen({ route }: { readonly route: Route }) {
  if (route.screen === "sessions") {
    return (
      <Guarded key="sessions">
        <SessionsScreen query={route.query} />
      </Guarded>
    );
  }
  const { sessionId, screen, at } = route;
  return (
    <SessionView sessionId={sessionId} screen={screen}>
      <Guarded key={screen}>
        {screen === "now" && <NowScreen key={sessionId} sessionId={sessionId} />}
        {screen === "strata" && <StrataScreen key={sessionId} sessionId={sessionId} at={at} />}
        {screen === "statement" && <StatementScreen key={sessionId} sessionId={sessionId} />}
        {screen === "diff" && <DiffScreen key={sessionId} sessionId={sessionId} at={at} />}
        {screen === "findings" && <FindingsScreen key={sessionId} sessionId={sessionId} />}
      </Guarded>
    </SessionView>
  );
}

function titleOf(route: Route): string {
  return route.screen === "sessions" ? "Palimpsest" : `${SCREEN_NAMES[route.screen]} · ${route.sessionId} · Palimpsest`;
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return useMemo(() => readRoute(hash), [hash]);
}

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  connecting: "connecting…",
  live: "live",
  lost: "connection lost; trying again",
};

function LiveStatus({ live }: { readonly live: Live }) {
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => live.watch(setConnection), [live]);
  return (
    <span class={`live ${connection}`} role="status">
      {CONNECTIONS[connection]}
    </span>
  );
}

interface TokenFormProps {
  /** Whether the gateway refused the one that was given before. */
  readonly isRefused: boolean;
  readonly onEnter: (token: string) => void;
}

function TokenForm({ isRefused, onEnter }: TokenFormProps) {
  const [token, setToken] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (token !== "") onEnter(token);
  };
  return (
    <form class="card" onSubmit={submit}>
      <h1>This gateway asks for its token</h1>
      {isRefused && <Failure message="The gateway refused that token. Nothing was shown." />}
      <p class="muted">
        It is what the gateway was started with (--token, or PALIMPSEST_TOKEN). This tab keeps it until it is closed.
      </p>
      <div class="row">
        <label>
          Token{" "}
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Open
        </button>
      </div>
    </form>
  );
}
