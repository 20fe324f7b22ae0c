import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { RequestActivity } from "../activity.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import { NO_FOLLOWER, type Turn, type TurnOutcome } from "../turn.ts";
import { replyLimit, roomFor } from "./beside.ts";
import { calibrate } from "./calibrate.ts";
import { costsOf } from "./costs.ts";
import type { Conversation } from "./desk.ts";
import { shortenTurn } from "./shorten-turn.ts";
import { startCourse, type TurnContext, type TurnCourse, type TurnPorts } from "./turn-course.ts";

/** A turn whose request is about to be sent. */
export function openTurn(context: TurnContext, ports: TurnPorts): Turn {
  const { heard, adapter, model } = context;
  const course = startCourse(context, ports);
  const newFollower = () => safely("follow", adapter.followReply, { otherwise: NO_FOLLOWER, ports });
  let follower = newFollower();
  const firstBody = bodyToSend(course, context);
  let sentBody = firstBody;
  const addedMs = ports.now() - context.startedAt;

  async function finish(outcome: TurnOutcome): Promise<void> {
    await course.recordOnce();
    await learn(course, outcome, { context, ports, follower }).catch((error) => ports.incident("learn", error));
    course.conversation?.underWay.delete(heard.mark);
    ports.desk.tidy();
  }

  return {
    modelId: model.modelId,
    isStreaming: heard.request.isStreaming,
    body: firstBody,
    // Writing must not hold up what is on its way: there is time for it while the upstream thinks.
    sent: () => void setImmediate(course.recordOnce),
    headers: () => headersOf(course),
    shorten: async (refusal) => {
      if (!(await shortenTurn(refusal, course, { context, ports }))) return undefined;
      const body = bodyToSend(course, context);
      if (body === sentBody) return undefined;
      sentBody = body;
      course.retries += 1;
      follower = newFollower();
      return body;
    },
    get follower() {
      return follower;
    },
    end: (outcome) => {
      course.isEnded = true;
      const tell = () =>
        ports.feed.publish({ ...activityOf(course, { context, ports, follower }), ...outcome, addedMs });
      safely("tell", tell, { otherwise: undefined, ports });
      const finished = finish(outcome);
      noteLearning(course.conversation, finished);
      ports.desk.track(finished, "other");
    },
  };
}

function safely<Value>(
  what: string,
  run: () => Value,
  { otherwise, ports }: { readonly otherwise: Value; readonly ports: TurnPorts },
): Value {
  try {
    return run();
  } catch (error) {
    ports.incident(what, error);
    return otherwise;
  }
}

/** What a reply reports must not cost the reply. */
function usageIn(follower: ReplyFollower, ports: TurnPorts): ReportedUsage | undefined {
  return safely("usage", () => follower.usage(), { otherwise: undefined, ports });
}

function noteLearning(conversation: Conversation | undefined, finished: Promise<void>): void {
  if (conversation === undefined) return;
  conversation.learning = finished;
  const over = () => {
    if (conversation.learning === finished) conversation.learning = undefined;
  };
  finished.then(over, over);
}

/** Undefined where that is the request as it came. */
function bodyToSend(course: TurnCourse, { heard, adapter, limits, model }: TurnContext): string | undefined {
  const { body, tokensSent } = course.carried;
  course.replyTokens = undefined;
  // What goes as it came was not counted.
  const mostTokens = replyLimit(heard.request, limits.of(model), body === undefined ? 0 : tokensSent);
  if (mostTokens === undefined) return body;
  const text = body ?? heard.request.raw.body;
  const limited = adapter.limitReply(text, mostTokens);
  if (limited === text) return body;
  course.replyTokens = mostTokens;
  return limited;
}

function headersOf({ conversation, carried, replyTokens }: TurnCourse): Readonly<Record<string, string>> {
  return {
    ...(replyTokens === undefined ? {} : { "x-palimpsest-reply-limit": String(replyTokens) }),
    ...(conversation === undefined ? {} : { "x-palimpsest-session": conversation.id }),
    "x-palimpsest-tokens-in": String(carried.tokensIn),
    "x-palimpsest-tokens-sent": String(carried.tokensSent),
    "x-palimpsest-folds": String(carried.foldCount),
  };
}

/** What the reply reports teaches the session, and the next guess. */
async function learn(
  course: TurnCourse,
  { status = 0 }: TurnOutcome,
  { context, ports, follower }: Reported,
): Promise<void> {
  const { heard, limits, model, budgetTokens } = context;
  const promptTokens = reportedTokens(usageIn(follower, ports));
  if (promptTokens === undefined || status >= 300) return;
  // No text has more tokens than bytes; what else is claimed would lift every limit that is guessed later.
  if (promptTokens <= heard.body.length) limits.accepted(model, promptTokens);
  const { conversation, footing } = course;
  if (conversation === undefined || footing === "none") return;
  const room = roomFor(heard.request, limits.of(model), budgetTokens);
  const reported = { room, promptTokens, hiddenTokens: hiddenTokens(course), incident: ports.incident };
  await conversation.inTurn(() => calibrate(heard, conversation, reported));
}

/** Some servers report a prompt of no tokens, or of less: that is no report. */
function reportedTokens(usage: ReportedUsage | undefined): number | undefined {
  const tokens = usage === undefined ? 0 : promptTokensOf(usage);
  return Number.isFinite(tokens) && tokens > 0 ? tokens : undefined;
}

function hiddenTokens({ carried }: TurnCourse): number {
  return Math.max(0, carried.tokensIn - carried.tokensSent);
}

interface Reported {
  readonly context: TurnContext;
  readonly ports: TurnPorts;
  readonly follower: ReplyFollower;
}

function activityOf(
  course: TurnCourse,
  { context, ports, follower }: Reported,
): Omit<RequestActivity, keyof TurnOutcome | "addedMs"> {
  const { heard, model, startedAt } = context;
  const usage = usageIn(follower, ports);
  const tokensSent = reportedTokens(usage) ?? course.carried.tokensSent;
  const hidden = hiddenTokens(course);
  return {
    type: "request",
    at: ports.now(),
    startedAt,
    api: model.api,
    operation: heard.request.operation,
    modelId: model.modelId,
    sessionId: course.conversation?.id,
    isStreaming: heard.request.isStreaming,
    tokensIn: tokensSent + hidden,
    tokensSent,
    foldIds: course.newFoldIds,
    retries: course.retries,
    usage,
    ...costsOf(ports.registry.find(model.modelId), usage, hidden),
  };
}
