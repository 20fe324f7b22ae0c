import { asName, type JsonRecord } from "../../core/json/read-json.ts";
import { mayNameFold, namedFold } from "../../core/recall/named-fold.ts";
import type { SessionInfo } from "../../engine/session/opened-sessions.ts";
import type { SessionRecallHit } from "../../engine/session/recall-sessions.ts";
import type { Session } from "../../engine/session/session.ts";

/** The sessions that an MCP server gives its clients access to. */
export interface McpSessions {
  /** Opens a session; undefined if there is none with that id. It never creates one. */
  open(id: string): Promise<Session | undefined>;
  /** Lists sessions, the one written to last first. */
  list(limit: number): Promise<readonly SessionInfo[]>;
  /** Searches the messages of all sessions, hidden or not. */
  search(query: string, budgetTokens: number): Promise<readonly SessionRecallHit[]>;
  /** Searches messages that are no longer in a session's log: from before a rewind, or before the agent's own compaction. @default finds nothing */
  readonly searchEarlier?:
    | ((session: Session, query: string, budgetTokens: number) => Promise<readonly EarlierHit[]>)
    | undefined;
  /**
   * Searches the hidden messages of related sessions: that of the agent which started this one, and those of its sub-agents.
   * @default finds nothing
   */
  readonly searchFamily?:
    | ((session: Session, query: string, budgetTokens: number) => Promise<readonly EarlierHit[]>)
    | undefined;
  readonly choice: SessionChoice;
  /** Called after a tool call has changed a session. */
  readonly changed?: ((id: string, change: "folded" | "updated") => void) | undefined;
  /** Called with an unexpected error of a tool call; the client is only told that there was one. */
  readonly failed?: ((error: unknown) => void) | undefined;
}

/** An excerpt of a message, and the session that it is from. */
export type EarlierHit = Pick<SessionRecallHit, "sessionId" | "role" | "kind" | "toolName" | "text"> & {
  readonly messageId: string | undefined;
};

/**
 * How the session of a call is chosen. `fixed`: always the same. `current`: the one that the call names, or else the first of `recent`, the sessions
 * used last. `named`: the call must name it.
 */
export type SessionChoice =
  | { readonly type: "fixed"; readonly id: string }
  | { readonly type: "current"; readonly recent: () => readonly string[] }
  | { readonly type: "named" };

/** The session of a call, or the text that tells the model why there is none. */
export type ChosenSession =
  | { readonly type: "session"; readonly session: Session }
  | { readonly type: "none"; readonly why: string };

const MAX_LISTED = 5;

export async function chooseSession(sessions: McpSessions, input: JsonRecord): Promise<ChosenSession> {
  const id = (await sessionWithFold(sessions, input)) ?? chosenId(sessions.choice, asName(input.session));
  if (id === undefined)
    return { type: "none", why: `Which session? Pass its id as session. ${await newest(sessions)}` };
  const session = await sessions.open(id);
  if (session !== undefined) return { type: "session", session };
  const others = sessions.choice.type === "fixed" ? "This server serves no other." : await newest(sessions);
  return { type: "none", why: `There is no session ${JSON.stringify(id)}. ${others}` };
}

/** The recent session that has the fold which a call names: several agents may run at once, and none knows the id of its session. */
async function sessionWithFold(
  { choice, open }: McpSessions,
  { session, id, query }: JsonRecord,
): Promise<string | undefined> {
  const asked = asName(query);
  const text = asName(id) ?? (asked !== undefined && mayNameFold(asked) ? asked : undefined);
  if (choice.type !== "current" || session !== undefined || text === undefined) return undefined;
  for (const recent of choice.recent()) {
    const folds = (await (await open(recent))?.folds()) ?? [];
    if (namedFold(text, folds) !== undefined) return recent;
  }
  return undefined;
}

/** The id of the session that a call is about; undefined if the call would have to name one. */
export function chosenId(choice: SessionChoice, named: string | undefined): string | undefined {
  switch (choice.type) {
    case "fixed":
      return choice.id;
    case "current":
      return named ?? choice.recent()[0];
    case "named":
      return named;
  }
}

async function newest({ list }: McpSessions): Promise<string> {
  const ids = (await list(MAX_LISTED)).map(({ id }) => JSON.stringify(id));
  return ids.length === 0 ? "There is none yet." : `The newest are ${ids.join(", ")}; search_sessions finds others.`;
}

/** JSON Schema of one argument of a tool. */
export type ArgumentSchema = { readonly type: "string" | "boolean"; readonly description: string };

/** The argument that names a session; none if the session is fixed. */
export function sessionProperty({ type }: SessionChoice): Readonly<Record<string, ArgumentSchema>> {
  if (type === "fixed") return {};
  const fallback = type === "current" ? " Leave it out for the conversation at hand." : "";
  return { session: { type: "string", description: `The id of a session.${fallback}` } };
}
