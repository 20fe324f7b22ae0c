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
import type { RecalledReplies } from "./recalled-replies.ts";
import { replyKey } from "./reply-key.ts";

export interface RecallLoopOptions {
  readonly adapter: WireAdapter;
  readonly recall: WireRecall;
  /** The request as the agent sent it, and as it was sent upstream. */
  readonly asSent: IncomingRequest;
  readonly body: string;
  /** What the prompt may still grow by. */
  readonly roomTokens: number;
  /** The conversation that the request belongs to; resolves when the request is in its log. */
  readonly conversation: () => Promise<Conversation | undefined>;
  readonly replies: RecalledReplies;
  readonly incident: (what: string, error: unknown) => void;
}

/** A reply loop that says what each of its requests used. */
export interface RecallLoop extends ReplyLoop {
  /** For each request of the loop; none where no call was answered within the reply. */
  usages(): readonly (ReportedUsage | undefined)[];
  /** What was asked upstream after the turn's own request, in order. */
  bodies(): readonly string[];
}

/** So many replies are answered with what they ask for, one more with a word to stop, and then calls are forbidden. */
const MOST_ANSWERED = 5;
const ENOUGH = "Enough was recalled for this turn. Go on with what you have.";
const NO_ROOM = "There is no room left to show more. Go on with what you have.";
const FAILED = "What is hidden cannot be read at the moment. Go on without it.";
const [MOST_ANSWER_TOKENS, LEAST_ANSWER_TOKENS] = [4_000, 300];
/** How long the end of a reply waits until others can find what was said in it. */
const KEEP_TIMEOUT_MS = 5_000;

/** Follows the replies to one request: answers calls of the recall tool, until a reply makes none. */
export function createRecallLoop(options: RecallLoopOptions): RecallLoop {
  const { recall, adapter, incident } = options;
  const relay = recall.relay();
  /** What was said since the request, and is not over yet. */
  const items: string[] = [];
  const usages: (ReportedUsage | undefined)[] = [];
  const bodies: string[] = [];
  const pieces: string[] = [];
  let answered = 0;
  let { roomTokens } = options;

  async function answer(calls: readonly RecallCall[]): Promise<readonly RecallResult[]> {
    const results: RecallResult[] = [];
    for (const { id, input } of calls) {
      const budgetTokens = Math.min(MOST_ANSWER_TOKENS, Math.floor(roomTokens / (calls.length - results.length)));
      const text = await textFor(input, budgetTokens);
      roomTokens -= countTextTokens(text);
      results.push({ id, text });
    }
    return results;
  }

  async function textFor(input: unknown, budgetTokens: number): Promise<string> {
    if (answered >= MOST_ANSWERED) return ENOUGH;
    if (budgetTokens < LEAST_ANSWER_TOKENS) return NO_ROOM;
    try {
      const conversation = await options.conversation();
      if (conversation === undefined) return FAILED;
      return await recallTool(await conversation.session(), { budgetTokens }).execute(input);
    } catch (error) {
      incident("recall", error);
      return FAILED;
    }
  }

  function noteUsage(): void {
    const follower = adapter.followReply();
    for (const piece of pieces.splice(0)) follower.push(piece);
    usages.push(follower.usage());
  }

  async function ask(reply: RelayedReply): Promise<NextStep> {
    noteUsage();
    const results = await answer(reply.calls);
    answered += 1;
    const said = [...reply.items, ...recall.results(results)];
    items.push(...said);
    roomTokens -= said.reduce((sum, item) => sum + countTextTokens(item), 0);
    const extended = recall.extend(options.body, items);
    const body = answered > MOST_ANSWERED + 1 ? recall.forbidCalls(extended) : extended;
    bodies.push(body);
    return { type: "ask", body };
  }

  /** Keeps what was said, where that is more than the client gets. */
  async function keep(reply: RelayedReply): Promise<void> {
    const results = await answer(reply.calls);
    const conversation = await options.conversation();
    const key = keyOfReply(options, relay.visible());
    if (conversation === undefined || key === undefined) throw unkept();
    const said = [...items, ...reply.items];
    const ended = { items: [...said, ...recall.results(results), recall.unansweredLine], results: [] };
    const exchange = { key, api: adapter.name, ...(reply.isOver ? { items: said, results } : ended) };
    const kept = await within(KEEP_TIMEOUT_MS, () => options.replies.keep(conversation, exchange));
    if (kept.type !== "done") throw kept.type === "failed" ? kept.error : unkept();
  }

  async function end(): Promise<NextStep> {
    const reply = relay.end();
    if (!reply.isOver && answered <= MOST_ANSWERED + 2) return ask(reply);
    if (usages.length > 0) noteUsage();
    const isMore = items.length > 0 || reply.calls.length > 0;
    const abandoned = reply.isOver ? undefined : relay.abandon();
    if (isMore && reply.isWhole) await keep(reply).catch((error) => incident("recall", error));
    return { type: "done", text: abandoned ?? relay.close() };
  }

  return {
    push: (text) => {
      pieces.push(text);
      return relay.push(text);
    },
    end: () =>
      end().catch((error: unknown): NextStep => {
        incident("recall", error);
        return { type: "done", text: relay.abandon() };
      }),
    fail: (body) => relay.fail(body),
    usages: () => usages,
    bodies: () => bodies,
  };
}

/** The key that the reply will be found by in the agent's next request. */
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
