import { asName, type JsonRecord } from "../../core/json/read-json.ts";
import type { SessionRecallHit } from "../../engine/session/recall-sessions.ts";
import type { Session } from "../../engine/session/session.ts";
import type { SessionInfo } from "../../engine/session/sessions.ts";

/** The sessions that a server gives to its clients. */
export interface McpSessions {
  /** Undefined where there is none of that id: nothing here creates one. */
  open(id: string): Promise<Session | undefined>;
  /** Those written to last first. */
  list(limit: number): Promise<readonly SessionInfo[]>;
  /** Searches the messages of all of them, hidden or not. */
  search(query: string, budgetTokens: number): Promise<readonly SessionRecallHit[]>;
  /** Searches what was said in a session and is no longer in its log: before a rewind, or before the agent's own compaction. @default nowhere */
  readonly searchEarlier?:
    | ((session: Session, query: string, budgetTokens: number) => Promise<readonly EarlierHit[]>)
    | undefined;
  /**
   * Searches what is hidden in the sessions that belong to the same conversation: that of the agent which started this one, and those of its
   * sub-agents. @default nowhere
   */
  readonly searchFamily?:
    | ((session: Session, query: string, budgetTokens: number) => Promise<readonly EarlierHit[]>)
    | undefined;
  readonly choice: SessionChoice;
  /** Called after a call has changed a session. @default nobody is told */
  readonly changed?: ((id: string, change: "folded" | "updated") => void) | undefined;
  /** Called with what broke while a call was answered; the client is told no more than that. @default nobody is told */
  readonly failed?: ((error: unknown) => void) | undefined;
}

/** An excerpt of a message, and the session that it is from. */
export type EarlierHit = Pick<SessionRecallHit, "sessionId" | "role" | "kind" | "toolName" | "text"> & {
  readonly messageId: string | undefined;
};

/**
 * Which session a call is about: always the same; of those spoken in last, the newest first, unless the call names another; or the one that it must
 * name.
 */
export type SessionChoice =
  | { readonly type: "fixed"; readonly id: string }
  | { readonly type: "current"; readonly recent: () => readonly string[] }
  | { readonly type: "named" };

/** The session of a call, or what to tell the model instead. */
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
  return { type: "none", why: `There is no session ${JSON.stringify(id)}. ${await newest(sessions)}` };
}

/** Several agents may speak at once, and none knows its session: a fold that is named tells which of them asks. */
async function sessionWithFold(
  { choice, open }: McpSessions,
  { session, id }: JsonRecord,
): Promise<string | undefined> {
  if (choice.type !== "current" || session !== undefined || typeof id !== "string") return undefined;
  for (const recent of choice.recent()) {
    const folds = (await (await open(recent))?.folds()) ?? [];
    if (folds.some(({ foldId }) => foldId === id)) return recent;
  }
  return undefined;
}

/** The id of the session that a call is about; undefined where it has to name one. */
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

/** The argument that names a session, where calls may or must have one. */
export function sessionProperty({ type }: SessionChoice): Readonly<Record<string, ArgumentSchema>> {
  if (type === "fixed") return {};
  const fallback = type === "current" ? " Leave it out for the conversation at hand." : "";
  return { session: { type: "string", description: `The id of a session.${fallback}` } };
}
