import { PalimpsestError } from "../../core/errors.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { RecallCall, RecallResult, RelayedReply, WireRecall } from "../../core/ports/wire-recall.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { recallTool } from "../../engine/recall/recall-tool.ts";
import { messageFingerprints } from "../match/fingerprints.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import type { NextStep, ReplyLoop } from "../turn.ts";
import { within } from "../within.ts";
import { type HeldOpening, holdOpening } from "./hold-opening.ts";
import type { RecalledReplies } from "./recalled-replies.ts";
import { replyKey } from "./reply-key.ts";

export interface RecallLoopOptions {
  readonly adapter: WireAdapter;
  readonly recall: WireRecall;
  /** The request as the agent sent it; `body` is what was sent upstream for it. */
  readonly asSent: IncomingRequest;
  readonly body: string;
  /** By how many tokens the prompt may still grow. */
  readonly roomTokens: number;
  /** The conversation that the request belongs to; resolves when the request is in its log. */
  readonly conversation: () => Promise<Conversation | undefined>;
  readonly replies: RecalledReplies;
  readonly incident: (what: string, error: unknown) => void;
}

/** A reply loop that also gives the usages and bodies of its requests. */
export interface RecallLoop extends ReplyLoop {
  /** The usage of each request of the turn; empty where no call was answered within the reply. */
  usages(): readonly (ReportedUsage | undefined)[];
  /** The bodies that were sent upstream after the turn's own request, in order. */
  bodies(): readonly string[];
}

/** A reply that called the recall tool, with the results of its calls. */
interface Round {
  readonly reply: RelayedReply;
  readonly results: readonly RecallResult[];
}

/** How many replies in one turn get the content they ask for. The next one is told to stop, and then calls are forbidden. */
const MOST_ANSWERED = 5;
const ENOUGH = "Enough was recalled for this turn. Go on with what you have.";
const NO_ROOM = "There is no room left to show more. Go on with what you have.";
const FAILED = "What is hidden cannot be read at the moment. Go on without it.";
const [MOST_ANSWER_TOKENS, LEAST_ANSWER_TOKENS] = [4_000, 300];
/** How long the end of a reply waits until its recalled content is recorded, so that other gateways find it. */
const KEEP_TIMEOUT_MS = 5_000;

/** Relays the replies to one request, and answers their calls of the recall tool upstream until a reply makes no such call. */
export function createRecallLoop(options: RecallLoopOptions): RecallLoop {
  const { recall, adapter, incident } = options;
  const relay = recall.relay();
  /** The rounds of this turn so far. */
  let rounds: readonly Round[] = [];
  const usages: (ReportedUsage | undefined)[] = [];
  const bodies: string[] = [];
  const pieces: string[] = [];
  /** The held start of the current reply; undefined during the first reply, which the proxy holds back itself. */
  let opening: HeldOpening | undefined;
  let answered = 0;
  const answers = createAnswers(options);

  function noteUsage(): void {
    const follower = adapter.followReply();
    for (const piece of pieces.splice(0)) follower.push(piece);
    usages.push(follower.usage());
  }

  function itemsOf({ reply, results }: Round): readonly string[] {
    return [...reply.items, ...recall.results(results)];
  }

  function nextBody(): string {
    const extended = recall.extend(options.body, rounds.flatMap(itemsOf));
    return answered > MOST_ANSWERED + 1 ? recall.forbidCalls(extended) : extended;
  }

  async function ask(reply: RelayedReply): Promise<NextStep> {
    noteUsage();
    const round = { reply, results: await answers.to(reply.calls, { isEnough: answered >= MOST_ANSWERED }) };
    answered += 1;
    rounds = [...rounds, round];
    answers.useRoom(itemsOf(round).reduce((sum, item) => sum + countTextTokens(item), 0));
    const body = nextBody();
    bodies.push(body);
    return askFor(body);
  }

  function askFor(body: string): NextStep {
    opening = holdOpening(adapter.followReply());
    return { type: "ask", body };
  }

  /** Removes recalled content after a refusal: our token count was wrong, or the model's own calls took the room. Undefined where it is removed already. */
  function shorten(): string | undefined {
    answers.useRoom(Number.POSITIVE_INFINITY);
    if (rounds.every(({ results }) => results.every(({ text }) => text.length <= NO_ROOM.length))) return undefined;
    rounds = rounds.map(({ reply, results }) => ({ reply, results: results.map(({ id }) => ({ id, text: NO_ROOM })) }));
    const body = nextBody();
    bodies.splice(-1, 1, body);
    return body;
  }

  /** Records the whole exchange, of which the client got only a part, for the agent's next request. */
  async function keep(reply: RelayedReply): Promise<void> {
    const results = await answers.to(reply.calls, { isEnough: answered >= MOST_ANSWERED });
    const conversation = await options.conversation();
    const key = keyOfReply(options, relay.visible());
    if (conversation === undefined || key === undefined) throw unkept();
    const said = [...rounds.flatMap(itemsOf), ...reply.items];
    const ended = { items: [...said, ...recall.results(results), recall.unansweredLine], results: [] };
    const exchange = { key, api: adapter.name, ...(reply.isOver ? { items: said, results } : ended) };
    const kept = await within(KEEP_TIMEOUT_MS, () => options.replies.keep(conversation, exchange));
    if (kept.type !== "done") throw kept.type === "failed" ? kept.error : unkept();
  }

  function push(text: string): string {
    pieces.push(text);
    return relay.push(text);
  }

  async function end(): Promise<NextStep> {
    const { held, isTooLong } = opening?.end() ?? { held: "", isTooLong: false };
    const shorter = isTooLong ? shorten() : undefined;
    if (shorter !== undefined) return askFor(shorter);
    const shown = held === "" ? "" : push(held);
    const reply = relay.end();
    if (!reply.isOver && answered <= MOST_ANSWERED + 2) return ask(reply);
    if (usages.length > 0) noteUsage();
    const isMore = rounds.length > 0 || reply.calls.length > 0;
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
    usages: () => usages,
    bodies: () => bodies,
  };
}

/** Answers calls of the recall tool with results that fit into the room of the prompt. */
interface Answers {
  to(calls: readonly RecallCall[], options: { readonly isEnough: boolean }): Promise<readonly RecallResult[]>;
  /** Subtracts tokens from the room, for other content of the prompt. */
  useRoom(tokens: number): void;
}

function createAnswers({ roomTokens, conversation, incident }: RecallLoopOptions): Answers {
  let leftTokens = roomTokens;

  async function textFor(input: unknown, budgetTokens: number): Promise<string> {
    if (budgetTokens < LEAST_ANSWER_TOKENS) return NO_ROOM;
    try {
      const asked = await conversation();
      if (asked === undefined) return FAILED;
      return await recallTool(await asked.session(), { budgetTokens }).execute(input);
    } catch (error) {
      incident("recall", error);
      return FAILED;
    }
  }

  return {
    to: async (calls, { isEnough }) => {
      const results: RecallResult[] = [];
      for (const { id, input } of calls) {
        const budgetTokens = Math.min(MOST_ANSWER_TOKENS, Math.floor(leftTokens / (calls.length - results.length)));
        const text = isEnough ? ENOUGH : await textFor(input, budgetTokens);
        leftTokens -= countTextTokens(text);
        results.push({ id, text });
      }
      return results;
    },
    useRoom: (tokens) => {
      leftTokens -= tokens;
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
