import type { Content, Message } from "../../../core/message/message.ts";
import type { FoldedLog } from "./report-strata.ts";

/** Of each text; more of it is for the session file. */
const MAX_TEXT_CHARACTERS = 20_000;
/** Of all texts: a browser opens a file of this size without thinking. */
const MAX_REPORT_CHARACTERS = 24_000_000;

/** Messages to be read in a report: images are named, long texts are cut, and both say so. */
export function reportMessages({ messages }: FoldedLog) {
  let left = MAX_REPORT_CHARACTERS;
  return messages.map(({ role, content, folds }) => {
    const shown = left > 0 ? cutContent(content) : LEFT_OUT;
    left -= JSON.stringify(shown).length;
    return { role, content: shown, folds: folds?.map((fold) => ({ ...fold, standIn: cutBlock(fold.standIn) })) };
  });
}

/** What would be sent in place of hidden messages, by the fold. */
export function reportStandIns({ standIns }: FoldedLog) {
  return standIns.map(({ condenseId, truncationId, content }: Message) => {
    return { foldId: condenseId ?? truncationId, content: cutContent(content) };
  });
}

const LEFT_OUT = [{ type: "text", text: "(left out: the report would be too large; the session file has it)" }];

function cutContent(content: Content): readonly unknown[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.map(cutBlock);
}

function cutBlock(block: unknown): unknown {
  if (typeof block === "object" && block !== null && "type" in block && block.type === "image")
    return { type: "image" };
  return cutTexts(block);
}

/** Every long string of a block is cut; numbers, names and the order of fields stay. */
function cutTexts(value: unknown): unknown {
  if (typeof value === "string") {
    const cut = value.length - MAX_TEXT_CHARACTERS;
    return cut > 0 ? `${value.slice(0, MAX_TEXT_CHARACTERS)}\n(${cut} characters more are in the session file)` : value;
  }
  if (Array.isArray(value)) return value.map(cutBlock);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, cutTexts(field)]));
}
