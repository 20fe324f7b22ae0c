import { answerRecall } from "../../engine/recall/answer-recall.ts";
import { usageText } from "../../engine/recall/usage-text.ts";
import { chosenId, type McpSessions } from "./mcp-sessions.ts";

/** A session, a fold or a message, which clients can list and read without a tool. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

const SCHEME = "palimpsest://sessions/";
const MAX_SESSIONS = 50;
const PAGE_TOKENS = 8_000;
const TEXT = "text/plain";

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${SCHEME}{session}`,
    name: "session",
    description: "How full a session's window is, and its folds.",
    mimeType: TEXT,
  },
  {
    uriTemplate: `${SCHEME}{session}/folds/{fold}{?from}`,
    name: "fold",
    description: "What a fold hides, as it was said; from is where a next page begins.",
    mimeType: TEXT,
  },
  {
    uriTemplate: `${SCHEME}{session}/messages/{message}{?from}`,
    name: "message",
    description: "A message as it was said; from is where a next page begins.",
    mimeType: TEXT,
  },
];

/** The current session and its folds, or without one the newest sessions. */
export async function listResources(sessions: McpSessions): Promise<readonly McpResource[]> {
  const id = chosenId(sessions.choice, undefined);
  const session = id === undefined ? undefined : await sessions.open(id);
  if (session === undefined) return (await sessions.list(MAX_SESSIONS)).map((info) => sessionResource(info.id));
  const folds = (await session.folds()).map(({ foldId, kind, messages, blocks }) => ({
    uri: `${sessionUri(session.id)}/folds/${encodeURIComponent(foldId)}`,
    name: foldId,
    description: `${kind}: hides ${messages} messages and ${blocks} blocks`,
    mimeType: TEXT,
  }));
  return [sessionResource(session.id), ...folds];
}

/** The text of a resource; undefined if there is none at this URI. */
export async function readResource(sessions: McpSessions, uri: string): Promise<string | undefined> {
  const place = readUri(uri);
  if (place === undefined || !mayRead(sessions, place.session)) return undefined;
  const session = await sessions.open(place.session);
  if (session === undefined) return undefined;
  if (place.id === undefined) return usageText(session);
  return answerRecall(session, { type: "read", id: place.id, from: place.from }, PAGE_TOKENS);
}

/** Whether a client may read a session: with a fixed session, only that one. */
function mayRead({ choice }: McpSessions, id: string): boolean {
  return choice.type !== "fixed" || choice.id === id;
}

function sessionResource(id: string): McpResource {
  return { uri: sessionUri(id), name: id, description: "A conversation: its size and its folds", mimeType: TEXT };
}

function sessionUri(id: string): string {
  return `${SCHEME}${encodeURIComponent(id)}`;
}

const PLACE = /^palimpsest:\/\/sessions\/([^/?#]+)(?:\/(?:folds|messages)\/([^/?#]+))?(?:\?from=([\d.]+))?$/;

interface ResourcePlace {
  readonly session: string;
  readonly id: string | undefined;
  readonly from: string | undefined;
}

function readUri(uri: string): ResourcePlace | undefined {
  const [, session, id, from] = PLACE.exec(uri) ?? [];
  try {
    if (session === undefined) return undefined;
    return { session: decodeURIComponent(session), id: id === undefined ? undefined : decodeURIComponent(id), from };
  } catch {
    // A percent sign that begins no valid escape.
    return undefined;
  }
}
