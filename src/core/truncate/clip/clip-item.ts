import { parseJson } from "../../json/parse-json.ts";
import { type Block, isKnownBlock, type TextBlock, type ToolUseBlock } from "../../message/message.ts";
import { outsideOf } from "../../standing/injected-text.ts";
import type { TextSpan } from "../../standing/standing-part.ts";
import { clipNotice, standInText, textInPlaceOf } from "../stand-in.ts";
import { clipJson } from "./clip-json.ts";
import { clipText } from "./clip-text.ts";

export interface ClipItemOptions {
  readonly budgetTokens: number;
  /** Tokens of the item as it is. */
  readonly totalTokens: number;
  readonly measure: (item: Block) => number;
  readonly foldId: string;
  /** Parts of its text that stay, whatever else is cut. @default none */
  readonly keeps?: readonly TextSpan[];
  /** The file that holds the whole text, named in the notice. @default none */
  readonly path?: string | undefined;
}

/**
 * The item clipped to the budget, or as small as it can be. A text and the arguments of a call are shown by head and tail,
 * or left as they are where that is no smaller; any other item is replaced by a line of text.
 */
export function clipItem(item: Block, options: ClipItemOptions): Block {
  const { totalTokens, measure, foldId, keeps = [] } = options;
  if (isKnownBlock(item) && item.type === "text") {
    if (keeps.length > 0) return clipAround(item, keeps, options);
    const countTokens = (text: string) => measure({ ...item, text });
    return { ...item, text: clipText(item.text, { ...options, countTokens }) };
  }
  if (isKnownBlock(item) && item.type === "tool_use") return clipInput(item, options);
  return textInPlaceOf(item, standInText({ foldId, what: item.type, tokens: totalTokens }));
}

/** Clips the rest of a text and puts the kept parts below it. */
function clipAround(item: TextBlock, keeps: readonly TextSpan[], options: ClipItemOptions): Block {
  const { totalTokens, measure } = options;
  const kept = keeps.map(({ start, end }) => item.text.slice(start, end));
  const withRest = (rest: string): TextBlock => ({ ...item, text: [rest, ...kept].join("\n") });
  const rest = outsideOf(item.text, keeps);
  const clipped = withRest(clipText(rest, { ...options, countTokens: (text) => measure(withRest(text)) }));
  return measure(clipped) < totalTokens ? clipped : item;
}

/** Clips the arguments of a call. An object stays an object, with its keys as far as the budget goes; a string stays a string. */
function clipInput(call: ToolUseBlock, options: ClipItemOptions): ToolUseBlock {
  const { totalTokens, measure } = options;
  const { input } = call;
  if (typeof input === "string") {
    const countTokens = (text: string) => measure({ ...call, input: text });
    return { ...call, input: clipText(input, { ...options, countTokens }) };
  }
  const withInput = (json: string): ToolUseBlock => ({ ...call, input: parseJson(json) });
  const countTokens = (json: string) => measure(withInput(json));
  const clipped = clipJson(toJson(input) ?? "", { ...options, countTokens });
  const result = clipped === undefined ? { ...call, input: { "…": clipNotice(options) } } : withInput(clipped);
  return measure(result) < totalTokens ? result : call;
}

/** Undefined for what has no JSON: cycles, big integers, a depth beyond the stack. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
