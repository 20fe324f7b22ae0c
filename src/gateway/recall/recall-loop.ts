import { PalimpsestError } from "../../core/errors.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import type { ReplyFollower, WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { RecallResult, RelayedReply, WireRecall } from "../../core/ports/wire-recall.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { messageFingerprints } from "../match/fingerprints.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import type { NextStep, ReplyLoop } from "../turn.ts";
import { within } from "../within.ts";
import { type AnswersOptions, createAnswers, NO_ROOM } from "./answers.ts";
import type { RecalledReplies } from "./recalled-replies.ts";
import { replyKey } from "./reply-key.ts";

export interface RecallLoopOptions extends AnswersOptions {
  readonly adapter: WireAdapter;
  readonly recall: WireRecall;
  /** The request as the agent sent it; `body` is what was sent upstream for it. */
  readonly asSent: IncomingRequest;
  readonly body: string;
  readonly replies: RecalledReplies;
}

/** A reply loop that also gives the usages and bodies of its requests. */
export interface RecallLoop extends ReplyLoop {
  /** The usage of each request of the turn; empty where no call was answered within the reply. */
  usages(): readonly (ReportedUsage | undefined)[];
  /** The bodies that were sent upstream after the turn's own request, in order. */
  bodies(): readonly string[];
}

/** How long the end of a reply waits until its recalled content is recorded, so that other gateways find it. */
const KEEP_TIMEOUT_MS = 5_000;

/** Relays the replies to one request, and answers their calls of the recall tool upstream until a reply makes no such call. */
export function createRecallLoop(options: RecallLoopOptions): RecallLoop {
  const { recall, adapter, incident } = options;
  const relay = recall.relay();
  const answers = createAnswers(options);
  const rounds = createRounds(options);
  const meter = createUsageMeter(adapter);
  /** The held start of the current reply; undefined during the first reply, which the proxy holds back itself. */
  let opening: HeldOpening | undefined;

  async function ask(reply: RelayedReply): Promise<NextStep> {
    meter.endReply();
    const results = await answers.to(reply.calls, { isEnough: rounds.isEnough() });
    const { items, body } = rounds.add({ reply, results });
    answers.useRoom(items.reduce((sum, item) => sum + countTextTokens(item), 0));
    return askFor(body);
  }

  function askFor(body: string): NextStep {
    opening = holdOpening(adapter.followReply());
    return { type: "ask", body };
  }

  /** Removes recalled content after a refusal: our token count was wrong, or the model's own calls took the room. Undefined where it is removed already. */
  function shorten(): string | undefined {
    answers.useRoom(Number.POSITIVE_INFINITY);
    return rounds.withoutResults();
  }

  /** Records the whole exchange, of which the client got only a part, for the agent's next request. */
  async function keep(reply: RelayedReply): Promise<void> {
    const results = await answers.to(reply.calls, { isEnough: rounds.isEnough() });
    const conversation = await options.conversation();
    const key = keyOfReply(options, relay.visible());
    if (conversation === undefined || key === undefined) throw unkept();
    const said = [...rounds.items(), ...reply.items];
    const ended = { items: [...said, ...recall.results(results), recall.unansweredLine], results: [] };
    const exchange = { key, api: adapter.name, ...(reply.isOver ? { items: said, results } : ended) };
    const kept = await within(KEEP_TIMEOUT_MS, () => options.replies.keep(conversation, exchange));
    if (kept.type !== "done") throw kept.type === "failed" ? kept.error : unkept();
  }

  function push(text: string): string {
    meter.push(text);
    return relay.push(text);
  }

  async function end(): Promise<NextStep> {
    const { held, isTooLong } = opening?.end() ?? { held: "", isTooLong: false };
    const shorter = isTooLong ? shorten() : undefined;
    if (shorter !== undefined) return askFor(shorter);
    const shown = held === "" ? "" : push(held);
    const reply = relay.end();
    if (!reply.isOver && rounds.mayAsk()) return ask(reply);
    const isMore = rounds.count() > 0 || reply.calls.length > 0;
    if (rounds.count() > 0) meter.endReply();
    const abandoned = reply.isOver ? undefined : relay.abandon();
    if (isMore && reply.isWhole) await keep(reply).catch((error) => incident("recall", error));
    return { type: "done", text: shown + (abandoned ?? relay.close()) };
  }

  return {
    push: (text) => {
      const spoken = opening === undefined ? text : opening.push(text);
      return spoken === "" ? "" : push(spoken);
    },
    end: () =>
      end().catch((error: unknown): NextStep => {
        incident("recall", error);
        return { type: "done", text: relay.abandon() };
      }),
    shorten,
    fail: (body) => relay.fail(body),
    usages: meter.usages,
    bodies: rounds.bodies,
  };
}

/** A reply that called the recall tool, with the results of its calls. */
interface Round {
  readonly reply: RelayedReply;
  readonly results: readonly RecallResult[];
}

/** The rounds of one turn so far, and the bodies that were sent for them. */
interface Rounds {
  count(): number;
  /** Whether so many replies got the content that they asked for that the next one is told to stop. */
  isEnough(): boolean;
  /** Whether another request may be sent. */
  mayAsk(): boolean;
  /** The items of all rounds, in order: those of each reply, and after them the results of its calls. */
  items(): readonly string[];
  /** Adds a round. Returns its items, and the body to send next. */
  add(round: Round): { readonly items: readonly string[]; readonly body: string };
  /** Replaces the results by a line that says that there is no room. Returns the body to send in place of the last; undefined where no result is longer. */
  withoutResults(): string | undefined;
  /** The bodies that were sent upstream after the turn's own request, in order. */
  bodies(): readonly string[];
}

/** How many replies in one turn get the content they ask for. The next one is told to stop, and then calls are forbidden. */
const MOST_ANSWERED = 5;

function createRounds({ recall, body: firstBody }: Pick<RecallLoopOptions, "recall" | "body">): Rounds {
  let rounds: readonly Round[] = [];
  const bodies: string[] = [];

  function itemsOf({ reply, results }: Round): readonly string[] {
    return [...reply.items, ...recall.results(results)];
  }

  function nextBody(): string {
    const extended = recall.extend(firstBody, rounds.flatMap(itemsOf));
    return rounds.length > MOST_ANSWERED + 1 ? recall.forbidCalls(extended) : extended;
  }

  return {
    count: () => rounds.length,
    isEnough: () => rounds.length >= MOST_ANSWERED,
    mayAsk: () => rounds.length <= MOST_ANSWERED + 2,
    items: () => rounds.flatMap(itemsOf),
    add: (round) => {
      rounds = [...rounds, round];
      const body = nextBody();
      bodies.push(body);
      return { items: itemsOf(round), body };
    },
    withoutResults: () => {
      if (rounds.every(({ results }) => results.every(({ text }) => text.length <= NO_ROOM.length))) return undefined;
      rounds = rounds.map(({ reply, results }) => ({
        reply,
        results: results.map(({ id }) => ({ id, text: NO_ROOM })),
      }));
      const body = nextBody();
      bodies.splice(-1, 1, body);
      return body;
    },
    bodies: () => bodies,
  };
}

/** Reads the usage of each reply of a turn. */
interface UsageMeter {
  /** Takes a piece of the current reply. */
  push(text: string): void;
  /** Called when the current reply has ended. */
  endReply(): void;
  usages(): readonly (ReportedUsage | undefined)[];
}

function createUsageMeter({ followReply }: WireAdapter): UsageMeter {
  const usages: (ReportedUsage | undefined)[] = [];
  const pieces: string[] = [];
  return {
    push: (text) => void pieces.push(text),
    endReply: () => {
      const follower = followReply();
      for (const piece of pieces.splice(0)) follower.push(piece);
      usages.push(follower.usage());
    },
    usages: () => usages,
  };
}

/** Holds back the start of a streamed reply until its first content: until then the stream may still refuse its request. */
interface HeldOpening {
  /** Takes a piece of the reply, and returns the text that is no longer held back; empty while no content has come. */
  push(text: string): string;
  /** Called when the reply has ended: the text that is still held back, and whether the reply refuses its request as too long. */
  end(): { readonly held: string; readonly isTooLong: boolean };
}

/** Creates the buffer of one reply; `follower` tells when its content begins. */
function holdOpening(follower: ReplyFollower): HeldOpening {
  let held = "";
  let isSpeaking = false;
  return {
    push(text) {
      if (isSpeaking) return text;
      held += text;
      follower.push(text);
      isSpeaking = follower.stage() === "speaking";
      if (!isSpeaking) return "";
      const released = held;
      held = "";
      return released;
    },
    end() {
      const failure = isSpeaking ? undefined : follower.failure();
      return { held, isTooLong: failure !== undefined && readTooLong(failure).isTooLong };
    },
  };
}

/** The key by which the reply will be found in the agent's next request; undefined where the visible reply is not one message there. */
function keyOfReply({ adapter, recall, asSent }: RecallLoopOptions, visible: readonly string[]): string | undefined {
  const { path, body } = asSent.request.raw;
  const request = adapter.readRequest({ path, body: recall.extend(body, visible) });
  const index = asSent.messages.length;
  if (request?.messages.length !== index + 1) return undefined;
  const repeated = { ...asSent, request, messages: request.messages, fingerprints: messageFingerprints(request) };
  return replyKey(repeated, index);
}

function unkept(): PalimpsestError {
  return new PalimpsestError(
    "store-failed",
    "What was recalled within a reply could not be kept in its session in time: the agent's next request goes on without it. Check the store.",
  );
}
