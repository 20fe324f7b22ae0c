import { answeredCalls } from "../message/answered-calls.ts";
import { hidingFolds } from "../message/block-folds.ts";
import { visiblePlaces } from "../message/effective-view.ts";
import { shortHash } from "../message/fold-id.ts";
import { SEGMENT_MESSAGES } from "../message/log-segments.ts";
import type { CountTokens, Message, ToolUseBlock } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { countBlockTokens } from "../tokens/count-messages.ts";
import { serialize } from "../tokens/serialize.ts";
import { toolAct } from "../tool-calls/tool-act.ts";

/** Keys of the tool results that folds hide: files that were read, and other calls with their arguments. */
export type HiddenResults = Set<string>;

/** Results further back than so many messages are not remembered: if one is read again, the fold was not the reason. */
const REACH_MESSAGES = 2_000;

/** Finds the tool results among the newest messages that folds hide, and that no other result in the view repeats. */
export function findHiddenResults(messages: readonly Message[]): HiddenResults {
  const callOf = CALLS.of(messages);
  const visible = new Set(visiblePlaces(messages));
  const hidden: HiddenResults = new Set();
  const shown = new Set<string>();
  const reach = Math.max(0, messages.length - REACH_MESSAGES);
  const newestPlaces = Array.from({ length: messages.length - reach }, (_, index) => reach + index);
  const olderPlaces = visiblePlaces(messages).filter((place) => place < reach);
  for (const place of [...olderPlaces, ...newestPlaces]) {
    const message = messages[place];
    if (message === undefined) continue;
    const folded = new Set(hidingFolds(message).map(({ blockIndex }) => blockIndex));
    const [segmentNumber, placeThere] = [Math.floor(place / SEGMENT_MESSAGES), place % SEGMENT_MESSAGES];
    for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
      const call = isToolResult(block) ? callOf(segmentNumber, { place: placeThere, blockIndex }, block) : undefined;
      if (call === undefined) continue;
      if (visible.has(place) && !folded.has(blockIndex)) shown.add(resultKey(call));
      else if (place >= reach) hidden.add(resultKey(call));
    }
  }
  for (const key of shown) hidden.delete(key);
  return hidden;
}

const CALLS = answeredCalls(() => true);

/** The tokens of new results that repeat hidden ones. Each hidden result counts once: its key is removed from `hidden`. */
export function takeRereads(arrived: readonly Message[], hidden: HiddenResults, countTokens: CountTokens): number {
  if (hidden.size === 0) return 0;
  const blocks = arrived.flatMap(({ content }) => contentBlocks(content));
  const calls = new Map(blocks.filter(isToolUse).map((call) => [call.id, call]));
  let tokens = 0;
  for (const result of blocks.filter(isToolResult)) {
    const call = calls.get(result.tool_use_id);
    if (call !== undefined && hidden.delete(resultKey(call))) tokens += countBlockTokens(result, countTokens);
  }
  return tokens;
}

/** A key that is the same for calls with the same result. All reads of a file have the same key, whichever part they read. */
function resultKey(call: ToolUseBlock): string {
  const { kind, files } = toolAct(call);
  const read = kind === "read" ? files.find(({ touch }) => touch === "read") : undefined;
  if (read !== undefined) return `read ${read.path}`;
  // Hashed, because arguments may be whole files and many keys are kept at once.
  const input = serialize(call.input);
  return `${call.name} ${input.length} ${shortHash(input)}`;
}
