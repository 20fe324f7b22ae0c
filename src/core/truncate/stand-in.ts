import type { Block, TextBlock } from "../message/message.ts";

export interface StandInTextOptions {
  readonly foldId: string;
  /** What is hidden, in a few words. */
  readonly what?: string | undefined;
  readonly tokens?: number | undefined;
  /** The file that holds all of it. */
  readonly path?: string | undefined;
}

/**
 * The sentence that every stand-in carries: what is hidden, how much of it, the fold id by which it is restored, and its file if it has one. How to
 * recall it is said in the definition of the recall tool alone: not every model has that tool, and a stand-in must not promise it.
 */
export function standInText({ foldId, what, tokens, path }: StandInTextOptions): string {
  const size = tokens === undefined ? undefined : `${formatCount(tokens)} tokens`;
  const subject = [what, size].filter((part) => part !== undefined).join(": ");
  const file = path === undefined ? "" : `; whole output in ${path}`;
  return `[${subject === "" ? "" : `${subject} `}hidden in fold ${foldId}${file}]`;
}

export interface ClipNoticeOptions {
  readonly foldId: string;
  readonly what?: string;
  readonly totalTokens: number;
  readonly budgetTokens: number;
  readonly path?: string | undefined;
}

/** Says how much a clip hides: the tokens over the budget, a number that does not depend on where the text is cut. */
export function clipNotice({ foldId, what, totalTokens, budgetTokens, path }: ClipNoticeOptions): string {
  return standInText({ foldId, what, tokens: totalTokens - Math.max(0, budgetTokens), path });
}

export interface MarkerTextOptions {
  readonly foldId: string;
  /** How many messages the marker stands for. */
  readonly messages: number;
  readonly tokens?: number | undefined;
}

/** The content of a truncation marker. */
export function markerText({ foldId, messages, tokens }: MarkerTextOptions): string {
  return standInText({ foldId, what: countOf(messages, "earlier message"), tokens });
}

/**
 * A text block in place of a block of another type. The block's other fields are dropped, as they mean nothing on text, and a signature must not
 * outlive what it signs; `cache_control`, which may be on any block, is kept.
 */
export function textInPlaceOf(block: Block, text: string): TextBlock {
  const standIn: TextBlock = { type: "text", text };
  return "cache_control" in block ? { ...standIn, ...{ cache_control: block.cache_control } } : standIn;
}

/** A number and its noun: "1 item", "1,204 items". */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

// Not toLocaleString: stand-ins must be the same bytes wherever they are made.
function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
