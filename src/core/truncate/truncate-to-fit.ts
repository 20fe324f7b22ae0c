import { checkMessages } from "../message/check-messages.ts";
import type { Message } from "../message/message.ts";
import { clipStanding, leastTokens, trimBound } from "./clip-standing.ts";
import { type ClipToFitOptions, clipToFit } from "./clip-to-fit.ts";
import { type FitOptions, type FitResult, type Folded, resolveFitOptions } from "./fit-options.ts";
import { type HideOptions, hideOldest, MARKER_TOKENS } from "./hide-oldest.ts";
import { measureView, sumTokens, tokensOf } from "./measure-view.ts";

/**
 * Brings the view under `allowedTokens`: hides the oldest units behind a marker, again and again; clips what is too
 * large to fit even so; and hides what was decided, messages marked important, or what binds the agent, only when there is no other way.
 *
 * The first message and the last unit (the current turn) stay visible, clipped if need be.
 * @example
 * ```ts
 * import { type Message, truncateToFit } from "palimpsest/core";
 * const log = Array.from({ length: 40 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(200) }));
 * const { type, messagesHidden } = truncateToFit(log, { allowedTokens: 5_000, selection: { type: "keepLast", count: 10 } });
 * console.log(type, messagesHidden); // folded 33
 * ```
 */
export function truncateToFit(messages: readonly Message[], options: FitOptions): FitResult {
  checkMessages(messages);
  const resolved = resolveFitOptions(options);
  const { tokens } = measureView(messages, resolved.countTokens);
  const unchanged: Folded = { messages, tokens, foldIds: [], messagesHidden: 0 };
  if (tokens <= resolved.allowedTokens) return { type: "unchanged", ...unchanged };
  const folded = shrink(unchanged, resolved);
  return { type: folded.tokens <= resolved.allowedTokens ? "folded" : "cannot-fit", ...folded };
}

/** Truncates and clips the log until its view is at the target; the last resorts are used only while it is over the limit. */
export function shrink(start: Folded, options: Required<FitOptions>): Folded {
  const { allowedTokens, countTokens, selection, taskId, offload } = options;
  let folded = clipCurrentTurn(start, options);
  const targetTokens = reachableTarget(folded, options);
  folded = clipPinned(folded, { ...options, targetTokens });
  if (folded.tokens <= targetTokens) return folded;
  const hide = (hides: HideOptions["hides"], hidesStandInsAlone = false): Folded =>
    hideOldest(folded, { targetTokens, countTokens, selection, taskId, hides, hidesStandInsAlone });
  const clip = { countTokens, taskId, budgetTokens: allowedTokens, offload };
  const lastResorts: readonly (() => Folded)[] = [
    () => hide(["other", "deciding"]),
    () => trimBound(folded, clip),
    () => hide(["other", "deciding", "pinned"]),
    () => clipOthers(folded, clip),
    () => hide(["other", "deciding", "pinned"], true),
    () => clipStanding(folded, clip),
    () => clipToFit(folded, { ...clip, scope: ["pinned", "binding", "deciding", "other", "current"] }),
    () => hide(["other", "deciding", "pinned", "binding"], true),
    () => clipToFit(folded, { ...clip, scope: ["pinned", "binding", "deciding", "other", "current"] }),
  ];
  folded = hide(["other"]);
  for (const resort of lastResorts) {
    if (folded.tokens <= allowedTokens) break;
    folded = resort();
  }
  return folded;
}

/** A binding block that takes more than this share of the allowed tokens is clipped before other binding blocks are. */
const BOUND_BLOCK_SHARE = 0.5;

/** Clips a current turn that leaves no room for what else must stay: to what that leaves of the target, and at least to half of it. */
function clipCurrentTurn(
  folded: Folded,
  { allowedTokens, targetTokens, countTokens, taskId, offload }: Required<FitOptions>,
): Folded {
  const view = measureView(folded.messages, countTokens);
  const current = tokensOf(view, "current");
  const before = view.units.filter(({ standing }) => standing !== "current");
  const bound = before.filter(({ binds }) => binds);
  const opening = before.slice(0, 1).filter(({ binds }) => !binds);
  const fixed = sumTokens(opening) + leastTokens(bound, folded, countTokens);
  if (fixed + current + MARKER_TOKENS <= allowedTokens) return folded;
  const budgetTokens = Math.max(targetTokens / 2, targetTokens - Math.min(fixed, view.tokens - current));
  const boundBlockTokens = BOUND_BLOCK_SHARE * allowedTokens;
  return clipToFit(folded, { scope: ["current"], budgetTokens, countTokens, taskId, boundBlockTokens, offload });
}

/** Clips units that neither bind nor are pinned by as much as the view is over its budget: most of an old summary stays. */
function clipOthers(folded: Folded, options: Omit<ClipToFitOptions, "scope">): Folded {
  const others = tokensOf(measureView(folded.messages, options.countTokens), "other");
  const budgetTokens = others - (folded.tokens - options.budgetTokens);
  return budgetTokens <= 0 ? folded : clipToFit(folded, { ...options, scope: ["other"], budgetTokens });
}

/** The target, raised where the current turn and binding units nearly fill it: otherwise all other history would be hidden. */
function reachableTarget(folded: Folded, { allowedTokens, targetTokens, countTokens }: Required<FitOptions>): number {
  const view = measureView(folded.messages, countTokens);
  const fixed = tokensOf(view, "current") + tokensOf(view, "binding");
  return Math.min(allowedTokens, Math.max(targetTokens, fixed + targetTokens / 4));
}

/** Pinned messages are not clipped to fewer tokens each than this: then it is better to hide some of them whole. */
const LEAST_TOKENS_PER_MESSAGE = 100;

/** Clips pinned messages that alone fill the target, the largest first, so that other history keeps some room. */
function clipPinned(folded: Folded, options: Required<FitOptions>): Folded {
  const { allowedTokens, targetTokens, countTokens, taskId, offload } = options;
  const view = measureView(folded.messages, countTokens);
  const room = targetTokens - tokensOf(view, "current") - tokensOf(view, "binding");
  if (tokensOf(view, "pinned") <= room) return folded;
  const budgetTokens = Math.max(room / 2, room - tokensOf(view, "other"));
  const count = view.units.filter((unit) => unit.standing === "pinned").flatMap((unit) => unit.entries).length;
  if (budgetTokens < LEAST_TOKENS_PER_MESSAGE * count) return folded;
  const boundBlockTokens = BOUND_BLOCK_SHARE * allowedTokens;
  return clipToFit(folded, { scope: ["pinned"], budgetTokens, countTokens, taskId, boundBlockTokens, offload });
}
