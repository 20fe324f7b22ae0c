import { PalimpsestError } from "../../core/errors.ts";
import type { Fold } from "../../core/history/list-folds.ts";
import { messageName } from "../../core/history/message-name.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import { type Block, type Content, isKnownBlock, type Message } from "../../core/message/message.ts";
import type { StoredSession } from "../../core/ports/store.ts";
import { countMessagesTokens, countMessageTokens } from "../../core/tokens/count-messages.ts";
import { describeCall } from "../../core/tool-calls/stand-in-call.ts";
import type { SessionCheckpoint } from "../../engine/session/checkpoints.ts";
import type { SessionEvent } from "../../engine/session/report.ts";
import type { Session } from "../../engine/session/session.ts";
import { oneLine } from "../terminal/safe-text.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { type PlacedMessage, placedLog, placedView, readHistory } from "./session-history.ts";
import { listVersions, type VersionSpan } from "./session-versions.ts";

/** A session as one line of a list. */
export type SessionLine = SessionSizes | UnreadableSession;

interface SessionTimes {
  readonly id: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionSizes extends SessionTimes {
  readonly messages: number;
  readonly viewMessages: number;
  readonly viewTokens: number;
  readonly folds: number;
  /** Messages that are marked as important. */
  readonly pinned: number;
}

/** A damaged session, listed with its error so that it does not hide the others. */
export interface UnreadableSession extends SessionTimes {
  readonly error: string;
}

/** The sessions written to last, newest first. `show` is called with a progress text for each. */
export async function listSessions(
  { engine }: OpenSessions,
  limit: number,
  show: (what: string) => void,
): Promise<readonly SessionLine[]> {
  const lines: SessionLine[] = [];
  const listed = await engine.sessions({ limit });
  for (const { id, version, createdAt, updatedAt } of listed) {
    show(`reading session ${lines.length + 1} of ${listed.length}: ${id}`);
    const times = { id, version, createdAt, updatedAt };
    try {
      const session = await engine.session(id);
      lines.push({ ...times, ...(await sizesOf(session)) });
      session.close();
    } catch (error) {
      if (!(error instanceof PalimpsestError) || error.code !== "store-damaged") throw error;
      lines.push({ ...times, error: error.message });
    }
  }
  return lines;
}

async function sizesOf(session: Session): Promise<Omit<SessionSizes, keyof SessionTimes>> {
  const [log, view, folds] = [await session.log(), await session.view(), await session.folds()];
  const originals = log.filter((message) => !isStandIn(message));
  return {
    messages: originals.length,
    viewMessages: view.length,
    viewTokens: countMessagesTokens(view),
    folds: folds.length,
    pinned: originals.filter(({ important }) => important === true).length,
  };
}

/** A session as `sessions show` prints it. */
export interface SessionDetails extends SessionTimes {
  readonly messages: number;
  /** The tokens of the whole log, without folds. */
  readonly tokens: number;
  readonly viewTokens: number;
  /** The number of messages that are marked as important, including hidden ones. */
  readonly pinned: number;
  readonly view: readonly MessageLine[];
  readonly folds: readonly Fold[];
  readonly events: readonly SessionEvent[];
  /** Newest first. */
  readonly checkpoints: readonly SessionCheckpoint[];
  readonly versions: readonly VersionSpan[];
}

/** A message as one line of a list. */
export interface MessageLine {
  /** The session's version right after the message was added; undefined for a stand-in. */
  readonly version: number | undefined;
  readonly id: string | undefined;
  /** The name by which `pin` and `restore --from` find it; undefined if it has no id and is not in the log. */
  readonly name: string | undefined;
  readonly role: "user" | "assistant";
  readonly tokens: number;
  /** Whether it is marked as important. */
  readonly isPinned: boolean;
  readonly what: string;
}

export async function readDetails(session: Session, stored: StoredSession): Promise<SessionDetails> {
  const history = await readHistory(session);
  const log = placedLog(history);
  const view = placedView(log);
  const originals = restoreAllMessages(log.map(({ message }) => message));
  const { id, createdAt, updatedAt } = stored;
  return {
    id,
    version: history.version(),
    createdAt,
    updatedAt,
    messages: originals.length,
    tokens: countMessagesTokens(originals),
    viewTokens: countMessagesTokens(view.map(({ message }) => message)),
    pinned: originals.filter(({ important }) => important === true).length,
    view: view.map(messageLine),
    folds: await session.folds(),
    events: await session.events(),
    checkpoints: await session.checkpoints(),
    versions: listVersions(history),
  };
}

export function messageLine({ version, message, place }: PlacedMessage): MessageLine {
  const { id, role, important = false } = message;
  const tokens = countMessageTokens(message);
  const name = place === undefined ? id : messageName(message, place);
  return { version, id, name, role, tokens, isPinned: important, what: describeMessage(message) };
}

// A message may be as long as a file, which is too much for a line of a list.
const MAX_CHARACTERS = 200;

/** A message as one short line of a list. */
function describeMessage({ content }: Message): string {
  return describeContent(content).slice(0, MAX_CHARACTERS).trimEnd();
}

function describeContent(content: Content): string {
  if (typeof content === "string") return oneLine(content.slice(0, 2 * MAX_CHARACTERS));
  const parts = content.map((block) => oneLine(describeBlock(block).slice(0, 2 * MAX_CHARACTERS)));
  return parts.filter((part) => part !== "").join(" · ");
}

function describeBlock(block: Block): string {
  if (!isKnownBlock(block)) return `[${block.type}]`;
  switch (block.type) {
    case "text":
      return block.text;
    case "reasoning":
    case "image":
      return `[${block.type}]`;
    case "tool_use":
      return describeCall(block);
    case "tool_result":
      return `→ ${describeContent(block.content ?? "")}`;
  }
}
