import type { Refusal } from "../turn.ts";
import { replyLimit } from "./beside.ts";
import { isCannotFit, unlessNothingFits } from "./cannot-fit.ts";
import type { Carried } from "./carry.ts";
import { foldInSpite } from "./fold-fallback.ts";
import { foldOnce, foldTurn } from "./fold-turn.ts";
import { locate } from "./locate.ts";
import { record } from "./record.ts";
import type { TurnContext, TurnCourse, TurnPorts } from "./turn-course.ts";

/** After each refusal, what is sent by our own count is at most this share of what was sent before. */
const SHORTER_SHARE = 0.85;
const MAX_RETRIES = 3;

/**
 * Learns from a refusal, and makes what was sent shorter. Whether there is something else to send now: the reply's allowance may have to
 * be smaller too, or instead.
 */
export async function shortenTurn(
  refusal: Refusal,
  course: TurnCourse,
  { context, ports }: { readonly context: TurnContext; readonly ports: TurnPorts },
): Promise<boolean> {
  const { heard, limits, model } = context;
  const { carried } = course;
  const sentBytes = bytesOf(carried, context);
  limits.refused(model, refusal, { tokens: carried.tokensSent, bytes: sentBytes });
  if (course.retries >= MAX_RETRIES) return false;
  const isReplyShorter = replyLimit(heard.request, limits.of(model)) !== course.replyTokens;
  const budgetTokens = isReplyShorter ? context.budgetTokens : nextBudget(refusal, course, context);
  const shorter = await foldSafely(budgetTokens, course, { context, ports }).catch(unlessNothingFits);
  const isShorter = shorter?.body !== undefined && bytesOf(shorter, context) < sentBytes;
  if (shorter !== undefined && isShorter) {
    course.carried = shorter;
    course.newFoldIds = [...course.newFoldIds, ...shorter.newFoldIds];
  }
  return isShorter || isReplyShorter;
}

function bytesOf({ body }: Carried, { heard }: TurnContext): number {
  return body === undefined ? heard.body.length : Buffer.byteLength(body);
}

function nextBudget(refusal: Refusal, { carried, retries }: TurnCourse, context: TurnContext): number | undefined {
  if (refusal.by !== "tokens") return context.budgetTokens;
  // What went as it came was not counted: the upstream may know better. What was folded was.
  const reported = carried.body === undefined ? (refusal.promptTokens ?? 0) : 0;
  const most = Math.floor(Math.max(carried.tokensSent, reported) * SHORTER_SHARE ** (retries + 1));
  return Math.min(most, context.budgetTokens ?? most);
}

interface Shortening {
  readonly context: TurnContext;
  readonly ports: TurnPorts;
}

/** Where the store or folding fails, what is to be sent can be shortened all the same. */
async function foldSafely(
  budgetTokens: number | undefined,
  course: TurnCourse,
  shortening: Shortening,
): Promise<Carried | undefined> {
  try {
    return await foldInSession(budgetTokens, course, shortening);
  } catch (error) {
    if (isCannotFit(error)) throw error;
    const { context, ports } = shortening;
    ports.incident("shorten", error);
    course.footing = "none";
    return foldInSpite(error, context.heard, { ...ports, ...context, budgetTokens });
  }
}

/** Folds the request harder: in its session where it has one that still ends with it. */
async function foldInSession(
  budgetTokens: number | undefined,
  course: TurnCourse,
  { context, ports }: Shortening,
): Promise<Carried | undefined> {
  const { heard } = context;
  await course.recordOnce();
  const place = course.footing === "none" ? undefined : await locate(heard, ports);
  if (place?.type !== "continue") return foldAlone(budgetTokens, course, { context, ports });
  const outcome = await record(heard, place, {
    ...ports,
    use: async (settled) => {
      const folded = await foldTurn(heard, settled.conversation, { ...ports, ...context, budgetTokens });
      return folded && { folded, settled: settled.conversation };
    },
  });
  if (outcome.type === "replay") return foldAlone(budgetTokens, course, { context, ports });
  const { settled, folded } = outcome.value;
  course.moveTo(settled);
  course.footing = "view";
  if (course.isEnded) settled.underWay.delete(heard.mark);
  return folded;
}

/** What is sent then is not its session's view: what the reply reports says nothing about that. */
function foldAlone(
  budgetTokens: number | undefined,
  course: TurnCourse,
  { context, ports }: Shortening,
): Promise<Carried | undefined> {
  course.footing = "none";
  return foldOnce(context.heard, ports, { ...context, budgetTokens });
}
