import { SESSION_SCREENS, type SessionScreen, sessionHash } from "../model/route.ts";
import { visibleText } from "../model/safe-text.ts";

export const SCREEN_NAMES: Readonly<Record<SessionScreen, string>> = {
  now: "Now",
  strata: "Strata",
  statement: "Statement",
  diff: "Diff",
  findings: "Findings",
};

/** The heading and the tabs of a session. */
export function SessionHeading({ sessionId, screen }: { readonly sessionId: string; readonly screen: SessionScreen }) {
  return (
    <>
      <div class="title">
        <h1>{visibleText(sessionId)}</h1>
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
