import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { mayBeginTurn } from "../match/person-turn.ts";
import { NO_FOLLOWER, type Refusal, type Turn } from "../turn.ts";
import { replyLimit } from "./configure-session.ts";
import { diagnoseCache } from "./diagnose-cache.ts";
import { finishTurn, type OpenTurn } from "./finish-turn.ts";
import { offerRecall } from "./offer-recall.ts";
import { markUnchanged } from "./outgoing-request.ts";
import { shortenTurn } from "./shorten-turn.ts";
import { safely, startState, type TurnContext, type TurnPorts, type TurnState } from "./turn-state.ts";

/** Makes the turn of a request that is about to be sent: the body to send, and the callbacks of the proxy. */
export function openTurn(context: TurnContext, ports: TurnPorts): Turn {
  const { incoming, model } = context;
  const state = startState(context, ports);
  const turn: OpenTurn = { context, ports, state, diagnosis: diagnoseCache(context) };
  state.follower = newFollower(turn);
  const body = nextBody(turn);
  state.sentBody = body;
  const addedMs = ports.now() - context.startedAt;
  let filesKept: Promise<void> | undefined;

  return {
    modelId: model.modelId,
    isStreaming: incoming.request.isStreaming,
    body,
    // The request is recorded after it was sent, while the upstream works: writing to the store must not delay it.
    sent: () => {
      // If recording fails, the end of the turn reports it.
      const recorded = nextEventLoopTurn()
        .then(state.recordOnce)
        .catch(() => undefined);
      filesKept = keepFiles(recorded, turn);
    },
    beforeEnd: () => filesKept,
    headers: () => safely("headers", () => headersOf(state), { otherwise: {}, ports }),
    shorten: (refusal) => shorterBody(refusal, turn),
    get follower() {
      return state.follower;
    },
    get loop() {
      return state.loop;
    },
    end: (outcome) => finishTurn(turn, { ...outcome, addedMs }),
  };
}

function newFollower({ context: { adapter }, ports }: OpenTurn): TurnState["follower"] {
  return safely("follow", adapter.followReply, { otherwise: NO_FOLLOWER, ports });
}

/** The body to send next; undefined where that is the unchanged request. */
function nextBody(turn: OpenTurn): string | undefined {
  const { context, ports, state, diagnosis } = turn;
  const body = keepRestored(bodyToSend(state, context), turn);
  return diagnosis.ask(offerRecall(body, state, { context, ports }));
}

/** The body to send after a refusal; undefined where it cannot be made shorter. */
async function shorterBody(refusal: Refusal, turn: OpenTurn): Promise<string | undefined> {
  const { context, ports, state } = turn;
  if (!(await shortenTurn(refusal, state, { context, ports }))) return undefined;
  const body = nextBody(turn);
  if (body === state.sentBody) return undefined;
  state.sentBody = body;
  state.retries += 1;
  state.follower = newFollower(turn);
  return body;
}

/**
 * Saves the workspace's files if the request begins a person's turn, once the request is recorded; undefined where it cannot begin one. An agent
 * changes files because of a reply: so they are saved while the upstream works, and the reply's end waits until they are.
 */
function keepFiles(
  recorded: Promise<void>,
  { state, context: { incoming }, ports: { files } }: OpenTurn,
): Promise<void> | undefined {
  if (files === undefined || state.recordedAs === "none" || !mayBeginTurn(incoming)) return undefined;
  return recorded.then(() => {
    const { conversation, turnVersion } = state;
    return conversation === undefined || turnVersion === undefined ? undefined : files.keep(conversation, turnVersion);
  });
}

/** The body in which the provider is asked not to clear what a person restored; undefined where that is the unchanged request. */
function keepRestored(body: string | undefined, { context, ports }: OpenTurn): string | undefined {
  const { adapter, clearing, incoming } = context;
  if (clearing === undefined || clearing.restored.length === 0) return body;
  const text = body ?? incoming.request.raw.body;
  const keeps = () => adapter.clearing?.keepAll(text, clearing.restored);
  const kept = safely("clearing", keeps, { otherwise: undefined, ports });
  return kept === undefined || kept === text ? body : kept;
}

/** The folded body, with a smaller allowance for the reply where the window needs it; undefined where that is the unchanged request. */
function bodyToSend(state: TurnState, context: TurnContext): string | undefined {
  const { incoming, adapter, limits, model, marking } = context;
  const { body: folded } = state.outgoing;
  const isMarked = folded === undefined && state.recordedAs !== "none" && marking?.isForAll === true;
  const body = (isMarked ? markUnchanged(incoming, adapter, marking) : folded) ?? expandedBody(context);
  state.replyTokens = undefined;
  // An unchanged prompt was not counted.
  const promptTokens = folded === undefined ? 0 : state.outgoing.tokensSent;
  const mostTokens = replyLimit(incoming.request, limits.of(model), promptTokens);
  if (mostTokens === undefined) return body;
  const text = body ?? incoming.request.raw.body;
  const limited = adapter.limitReply(text, mostTokens);
  if (limited === text) return body;
  state.replyTokens = mostTokens;
  return limited;
}

/** The body with recalled content put back into its replies; undefined where none was put back. */
function expandedBody({ incoming, asSent }: TurnContext): string | undefined {
  return asSent === undefined ? undefined : incoming.request.raw.body;
}

function headersOf({ conversation, outgoing, replyTokens }: TurnState): Readonly<Record<string, string>> {
  return {
    ...(replyTokens === undefined ? {} : { "x-palimpsest-reply-limit": String(replyTokens) }),
    ...(conversation === undefined ? {} : { "x-palimpsest-session": conversation.id }),
    "x-palimpsest-tokens-in": String(outgoing.tokensIn),
    "x-palimpsest-tokens-sent": String(outgoing.tokensSent),
    "x-palimpsest-folds": String(outgoing.foldCount),
  };
}
