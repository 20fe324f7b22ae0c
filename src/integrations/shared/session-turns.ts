import { PalimpsestError } from "../../core/errors.ts";
import type { Message } from "../../core/message/message.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { PrepareReport } from "../../engine/session/report.ts";
import type { Session } from "../../engine/session/session.ts";
import { follow } from "./follow.ts";
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
