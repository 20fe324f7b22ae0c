/** The screens of one session, in the order of their tabs. */
export const SESSION_SCREENS = ["now", "strata", "statement", "diff", "findings"] as const;

export type SessionScreen = (typeof SESSION_SCREENS)[number];

export type Route =
  | { readonly screen: "sessions"; readonly query: string }
  /** `at` is what a screen begins with: of Strata the row of a message, of Diff two requests. */
  | { readonly screen: SessionScreen; readonly sessionId: string; readonly at: string | undefined };

export function readRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parameters = new URLSearchParams(search);
  const [kind, id = "", name = ""] = path.split("/");
  const screen = SESSION_SCREENS.find((each) => each === name) ?? "now";
  if (kind === "session" && id !== "") {
    return { screen, sessionId: decoded(id), at: parameters.get("at") ?? undefined };
  }
  return { screen: "sessions", query: parameters.get("q") ?? "" };
}

export function sessionHash(sessionId: string, screen: SessionScreen, at?: string): string {
  const place = at === undefined ? "" : `?${new URLSearchParams({ at })}`;
  return `#/session/${encodeURIComponent(sessionId)}/${screen}${place}`;
}

export function sessionsHash(query = ""): string {
  return query === "" ? "#/" : `#/?${new URLSearchParams({ q: query })}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
