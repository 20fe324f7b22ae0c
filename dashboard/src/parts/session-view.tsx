import type { ComponentChildren } from "preact";
import { sessionPath } from "../api/client.ts";
import { SESSION_SCREENS, type SessionScreen, sessionHash, sessionsHash } from "../model/route.ts";
import { oneLine, visibleText } from "../model/safe-text.ts";
import { type Resource, useResource } from "./use-resource.ts";

export const SCREEN_NAMES: Readonly<Record<SessionScreen, string>> = {
  now: "Now",
  strata: "Strata",
  statement: "Statement",
  diff: "Diff",
  findings: "Findings",
};

interface SessionViewProps {
  readonly sessionId: string;
  readonly screen: SessionScreen;
  readonly children: ComponentChildren;
}

/** The heading and the tabs of a session, and one of its screens. */
export function SessionView({ sessionId, screen, children }: SessionViewProps) {
  const { resource } = useResource<{ readonly title?: string }>(sessionPath(sessionId, "/title"), sessionId);
  const title = resource.type === "loaded" ? resource.value.title : undefined;
  return (
    <>
      <div class="session-heading">
        <a class="small" href={sessionsHash()}>
          ‹ all sessions
        </a>
        <h1>{visibleText(sessionId)}</h1>
        {title !== undefined && <p class="muted one-line">{oneLine(title, 160)}</p>}
      </div>
      <nav class="tabs" aria-label="Screens of this session">
        {SESSION_SCREENS.map((each) => (
          <a key={each} href={sessionHash(sessionId, each)} aria-current={each === screen ? "page" : undefined}>
            {SCREEN_NAMES[each]}
          </a>
        ))}
      </nav>
      {isMissing(resource) ? <MissingSession /> : children}
    </>
  );
}

function isMissing(resource: Resource<unknown>): boolean {
  return resource.type === "failed" && resource.code === "not-found";
}

function MissingSession() {
  return (
    <section class="card" role="alert">
      <h2>This session is not here</h2>
      <p>
        It may have been deleted, here or in another tab, or the gateway was started with another store since. Where it
        comes back, so does this page.
      </p>
      <div class="row">
        <a class="button" href={sessionsHash()}>
          Show all sessions
        </a>
      </div>
    </section>
  );
}
