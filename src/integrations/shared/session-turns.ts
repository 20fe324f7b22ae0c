import { PalimpsestError } from "../../core/errors.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { PrepareReport } from "../../engine/session/report.ts";
import type { Session } from "../../engine/session/session.ts";
import { isSameMessage } from "./same-message.ts";
import { type ViewPlace, viewPlaces } from "./view-places.ts";

/** What an SDK is about to send. */
export interface TurnRequest {
  /** The whole history as the SDK has it, without the system prompt. */
  readonly messages: readonly Message[];
  /** @default the session's system prompt */
  readonly systemPrompt?: string | undefined;
  /** @default the session's tools */
  readonly tools?: readonly unknown[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What to send instead. */
export interface Turn {
  readonly request: TurnRequest;
  readonly places: readonly ViewPlace[];
  readonly report: PrepareReport;
}

/** The turns of one session. After `begin` was called again, `observe`, `record` and `shorten` of an older turn do nothing. */
export interface SessionTurns {
  /** Records the new messages and prepares the view to send; undefined if the prompt does not belong to the session's conversation. */
  begin(request: TurnRequest): Promise<Turn | undefined>;
  /** Gives the session the usage that the provider reported for the turn. */
  observe(turn: Turn, usage: ReportedUsage): void;
  /** Appends the model's reply to the log. The next request will repeat it. */
  record(turn: Turn, reply: Message): Promise<void>;
  /** Learns the limit from the error that the provider's client threw, and folds again; undefined if the prompt was not too long, or got no shorter. */
  shorten(turn: Turn, error: unknown): Promise<Turn | undefined>;
}

const turnsBySession = new WeakMap<Session, SessionTurns>();

/** The turns of a session: always the same object, as two models may share a session. */
export function turnsOf(session: Session): SessionTurns {
  const turns = turnsBySession.get(session) ?? createTurns(session);
  turnsBySession.set(session, turns);
  return turns;
}

function createTurns(session: Session): SessionTurns {
  let last: Promise<unknown> = Promise.resolve();
  let newest: Turn | undefined;

  /** Runs tasks one after the other: the log that a prompt is compared with must be the one that is folded. */
  function enqueue<Value>(task: () => Promise<Value>): Promise<Value> {
    const result = last.then(task, task);
    last = result.catch(() => undefined);
    return result;
  }

  async function prepareTurn(request: TurnRequest): Promise<Turn | undefined> {
    const { messages, systemPrompt, tools, signal } = request;
    signal?.throwIfAborted();
    session.usePrompt({ ...(systemPrompt !== undefined && { systemPrompt }), ...(tools !== undefined && { tools }) });
    if ((await follow(session, messages)) === "apart") return undefined;
    // Not repaired: the SDK would have sent the same damage without us.
    const { messages: view, report } = await session.prepare({ repair: false, signal });
    const places = viewPlaces((await session.snapshot()).log, view);
    if (places === undefined) {
      throw new PalimpsestError(
        "conflict",
        `Others wrote to the session ${JSON.stringify(session.id)} meanwhile. Use one per conversation.`,
      );
    }
    newest = { request, places, report };
    return newest;
  }

  function observe(turn: Turn, usage: ReportedUsage): void {
    if (turn === newest) session.observe(usage);
  }

  return {
    begin: (request) => enqueue(() => prepareTurn(request)),
    observe,
    record: (turn, reply) =>
      enqueue(async () => {
        if (turn === newest) await follow(session, [...turn.request.messages, reply]);
      }),
    shorten: (turn, error) =>
      enqueue(async () => {
        if (turn !== newest) return undefined;
        const refusal = session.observeError(error);
        if (!refusal.isTooLong || refusal.by !== "tokens") return undefined;
        const shorter = await prepareTurn(turn.request);
        return shorter !== undefined && shorter.report.foldIds.length > 0 ? shorter : undefined;
      }),
  };
}

/** Other writers may change the log between reading and appending: then it is compared again. */
const MAX_TRIES = 5;

/**
 * Brings a session's log in line with an SDK's history: appends new messages, and where the history is shorter or edited, first rewinds the log
 * to their common prefix. A rewind loses nothing: `session.rewind({ undo: true })` takes it back.
 *
 * Returns "apart", and records nothing, for a prompt that shares no message with the log and holds no reply yet, such as one that asks for a title.
 */
async function follow(session: Session, messages: readonly Message[]): Promise<"followed" | "apart"> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { log, version } = await session.snapshot();
    const originals = log.filter((message) => !isStandIn(message));
    const shared = sharedCount(originals, messages);
    const [firstDifferent] = originals.slice(shared);
    if (firstDifferent !== undefined) {
      if (shared === 0 && !messages.some(({ role }) => role === "assistant")) return "apart";
      await session.rewind({ toMessage: idOf(firstDifferent, session), includeMessage: false });
      continue;
    }
    const added = withIds(messages.slice(shared), { log, from: shared });
    if (added.length === 0 || (await session.appendAfter(version, ...added))) return "followed";
  }
  throw new PalimpsestError(
    "conflict",
    `Others kept writing to the session ${JSON.stringify(session.id)}. Use one per conversation.`,
  );
}

/** The length of the common prefix of the log's own messages and an SDK's history. */
function sharedCount(originals: readonly Message[], messages: readonly Message[]): number {
  const length = Math.min(originals.length, messages.length);
  for (const [index, message] of messages.slice(0, length).entries()) {
    const original = originals[index];
    if (original === undefined || !isSameMessage(original, message)) return index;
  }
  return length;
}

function idOf({ id }: Message, session: Session): string {
  if (id !== undefined) return id;
  throw new PalimpsestError(
    "conflict",
    `The log of the session ${JSON.stringify(session.id)} differs from the conversation at a message that has no id. Use another session.`,
  );
}

/** Gives the messages ids by their number in the conversation (`m7`), by which ledgers refer to them too. */
function withIds(
  messages: readonly Message[],
  { log, from }: { readonly log: readonly Message[]; readonly from: number },
): readonly Message[] {
  const taken = new Set(log.map(({ id }) => id));
  return messages.map((message, offset) => {
    const number = `m${from + offset}`;
    let id = number;
    for (let copy = 2; taken.has(id); copy++) id = `${number}.${copy}`;
    return { ...message, id };
  });
}
