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
  /** The whole history as the SDK has it, the system prompt left out. */
  readonly messages: readonly Message[];
  /** @default those that the session has */
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is to be sent instead. */
export interface Turn {
  readonly request: TurnRequest;
  readonly places: readonly ViewPlace[];
  readonly report: PrepareReport;
}

/** The turns of one session, whoever sends them. */
export interface SessionTurns {
  /** Records what is new, and folds what must be folded. Undefined for a prompt that is not of this conversation. */
  begin(request: TurnRequest): Promise<Turn | undefined>;
  /** Tells the session what the provider counted, where nothing was prepared since. */
  observe(turn: Turn, usage: ReportedUsage): void;
  /** Appends what the model said, where nothing was prepared since: the next request repeats it. */
  record(turn: Turn, reply: Message): Promise<void>;
  /** Learns from what the provider's client threw, and folds harder. Undefined where the prompt was not too long, or cannot be shorter. */
  shorten(turn: Turn, error: unknown): Promise<Turn | undefined>;
}

const known = new WeakMap<Session, SessionTurns>();

/** The same object for the same session: two models may share one. */
export function turnsOf(session: Session): SessionTurns {
  const turns = known.get(session) ?? createTurns(session);
  known.set(session, turns);
  return turns;
}

function createTurns(session: Session): SessionTurns {
  let last: Promise<unknown> = Promise.resolve();
  let newest: Turn | undefined;

  /** One after the other: the log that is compared must be the one that is folded. */
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
    // What the SDK has is sent as it is: damage that it would be refused for is not ours to mend.
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

/** Others may write to the session at the same time: then there is another log to compare with. */
const MAX_TRIES = 5;

/**
 * Makes a session's log what an SDK's history says: what is new is appended, and where the history is shorter or edited, the log is rewound to
 * what both have first. Nothing is lost by that: `session.rewind({ undo: true })` comes back.
 *
 * "apart" for a prompt of which nothing was said in the session, and to which nobody has replied yet: a title, or a check. It is not recorded.
 */
async function follow(session: Session, messages: readonly Message[]): Promise<"followed" | "apart"> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { log, version } = await session.snapshot();
    const spoken = log.filter((message) => !isStandIn(message));
    const shared = sharedCount(spoken, messages);
    const [different] = spoken.slice(shared);
    if (different !== undefined) {
      if (shared === 0 && !messages.some(({ role }) => role === "assistant")) return "apart";
      await session.rewind({ toMessage: idOf(different, session), includeMessage: false });
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

function sharedCount(spoken: readonly Message[], messages: readonly Message[]): number {
  const length = Math.min(spoken.length, messages.length);
  for (const [index, message] of messages.slice(0, length).entries()) {
    const said = spoken[index];
    if (said === undefined || !isSameMessage(said, message)) return index;
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

/** Named by their number, which ledgers name them by too. */
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
