import { sessionPath } from "../api/client.ts";
import { SESSION_SCREENS, type SessionScreen, sessionHash, sessionsHash } from "../model/route.ts";
import { oneLine, visibleText } from "../model/safe-text.ts";
import { useResource } from "./use-resource.ts";

export const SCREEN_NAMES: Readonly<Record<SessionScreen, string>> = {
  now: "Now",
  strata: "Strata",
  statement: "Statement",
  diff: "Diff",
  findings: "Findings",
};

/** The heading and the tabs of a session. */
export function SessionHeading({ sessionId, screen }: { readonly sessionId: string; readonly screen: SessionScreen }) {
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
    </>
  );
}
