import { assert, assertObject } from "../assert.ts";
import { checkMessages } from "./check-messages.ts";
import { isCompactionBlock } from "./compaction-block.ts";
import { type Block, isKnownBlock, type Message } from "./message.ts";
import { contentBlocks, isToolResult, isToolUse } from "./tool-pairs.ts";
import { findWireFaults, isViewWire, VIEW_WIRES, type ViewWire, type WireProblemCode } from "./wire-rules.ts";

export type ViewProblemCode =
  | "empty-view"
  | "first-turn-not-user"
  | "empty-content"
  | "trailing-whitespace"
  | "misplaced-block"
  | "orphan-result"
  | "missing-result"
  | "pair-not-adjacent"
  | "result-not-first"
  | "duplicate-call-id"
  | "duplicate-result"
  | WireProblemCode;

/** One reason for which a provider would reject a view. */
export interface ViewProblem {
  readonly code: ViewProblemCode;
  /** What is wrong and where, for people. */
  readonly reason: string;
  /** Absent for an empty view. */
  readonly messageIndex?: number;
  readonly messageId?: string;
  readonly toolUseId?: string;
}

export interface ValidateViewOptions {
  /** Asks for what this provider alone refuses, too. The converters of `palimpsest/messages` write a view so that it is taken. @default none */
  readonly wire?: ViewWire | undefined;
}

/**
 * Lists every reason for which a provider would reject these messages, in order; none means that it is valid.
 * @example
 * ```ts
 * import { validateView } from "palimpsest/core";
 * const problems = validateView([{ role: "assistant", content: "Hello." }]);
 * console.log(problems.map(({ code }) => code)); // [ 'first-turn-not-user' ]
 * ```
 */
export function validateView(messages: readonly Message[], options: ValidateViewOptions = {}): readonly ViewProblem[] {
  checkMessages(messages);
  assertObject("options", options);
  const { wire } = options;
  assert(
    wire === undefined || isViewWire(wire),
    "options.wire",
    wire,
    VIEW_WIRES.map((name) => JSON.stringify(name)).join(" or "),
  );
  if (messages.length === 0) return [{ code: "empty-view", reason: "There is no message to send." }];
  const all = [
    ...findTurnProblems(messages),
    ...messages.flatMap(findContentProblems),
    ...findPairProblems(messages),
    ...(wire === undefined ? [] : messages.flatMap((message, index) => findWireProblems(message, index, wire))),
  ];
  return all.sort((a, b) => (a.messageIndex ?? 0) - (b.messageIndex ?? 0));
}

function findWireProblems(message: Message, messageIndex: number, wire: ViewWire): readonly ViewProblem[] {
  const place = at(message, messageIndex);
  const inResults = contentBlocks(message.content).flatMap((block) =>
    isToolResult(block) && block.content !== undefined ? contentBlocks(block.content) : [],
  );
  return [...contentBlocks(message.content), ...inResults].flatMap((block) =>
    findWireFaults(block, message.role, wire).map(({ code, reason }) => problem(code, place, reason)),
  );
}

function findTurnProblems(messages: readonly Message[]): readonly ViewProblem[] {
  const problems: ViewProblem[] = [];
  const first = messages[0];
  // A provider's own compaction is the beginning that the provider wants.
  if (first !== undefined && first.role !== "user" && !contentBlocks(first.content).some(isCompactionBlock)) {
    problems.push(problem("first-turn-not-user", at(first, 0), "The first message must be the user's."));
  }
  const lastIndex = messages.length - 1;
  const last = messages[lastIndex];
  if (last?.role === "assistant" && /\s$/.test(lastText(last))) {
    const reason = "A final assistant message must not end in white space.";
    problems.push(problem("trailing-whitespace", at(last, lastIndex), reason));
  }
  return problems;
}

function lastText(message: Message): string {
  if (typeof message.content === "string") return message.content.slice(-1);
  const block = message.content.at(-1);
  return block !== undefined && isKnownBlock(block) && block.type === "text" ? block.text.slice(-1) : "";
}

function findContentProblems(message: Message, messageIndex: number): readonly ViewProblem[] {
  const place = at(message, messageIndex);
  if (typeof message.content === "string") {
    return isBlank(message.content)
      ? [problem("empty-content", place, "The content is empty or only white space.")]
      : [];
  }
  if (message.content.length === 0) return [problem("empty-content", place, "The content has no block.")];
  return message.content.flatMap((block) => findBlockProblems(block, message.role, place));
}

function findBlockProblems(block: Block, role: Message["role"], place: Place): readonly ViewProblem[] {
  if (!isKnownBlock(block)) return [];
  const misplaced = (owner: string) =>
    problem("misplaced-block", place, `A ${block.type} block belongs in a message of the ${owner}.`);
  switch (block.type) {
    case "text":
      return isBlank(block.text) ? [problem("empty-content", place, "A text block is empty or only white space.")] : [];
    case "image":
      return [];
    case "reasoning":
    case "tool_use":
      return role === "assistant" ? [] : [misplaced("assistant")];
    case "tool_result": {
      const items = block.content === undefined ? [] : contentBlocks(block.content);
      const nested = items.flatMap((item) =>
        isToolResult(item)
          ? [problem("misplaced-block", place, "A tool_result block cannot hold another.")]
          : findBlockProblems(item, "user", place),
      );
      return role === "user" ? nested : [misplaced("user"), ...nested];
    }
  }
}

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** Neighbouring messages of one role: providers join them into a single turn. */
interface Turn {
  readonly role: Message["role"];
  readonly entries: readonly { readonly place: Place; readonly block: Block }[];
}

function findPairProblems(messages: readonly Message[]): readonly ViewProblem[] {
  const problems: ViewProblem[] = [];
  const seenCalls = new Set<string>();
  const seenResults = new Set<string>();
  let openCalls = new Map<string, Place>();

  for (const turn of joinTurns(messages)) {
    if (turn.role === "assistant") {
      openCalls = new Map();
      for (const { block, place } of turn.entries) {
        if (!isToolUse(block)) continue;
        if (seenCalls.has(block.id)) problems.push(pairProblem("duplicate-call-id", place, block.id));
        seenCalls.add(block.id);
        seenResults.delete(block.id);
        openCalls.set(block.id, place);
      }
      continue;
    }
    let textSeen = false;
    for (const { block, place } of turn.entries) {
      if (!isToolResult(block)) {
        textSeen = true;
        continue;
      }
      const id = block.tool_use_id;
      if (textSeen) problems.push(pairProblem("result-not-first", place, id));
      if (openCalls.delete(id)) seenResults.add(id);
      else if (!seenCalls.has(id)) problems.push(pairProblem("orphan-result", place, id));
      else problems.push(pairProblem(seenResults.has(id) ? "duplicate-result" : "pair-not-adjacent", place, id));
    }
    for (const [id, place] of openCalls) problems.push(pairProblem("missing-result", place, id));
    openCalls = new Map();
  }
  for (const [id, place] of openCalls) problems.push(pairProblem("missing-result", place, id));
  return problems;
}

function joinTurns(messages: readonly Message[]): readonly Turn[] {
  const turns: { role: Message["role"]; entries: { place: Place; block: Block }[] }[] = [];
  for (const [index, message] of messages.entries()) {
    const place = at(message, index);
    const blocks: readonly Block[] =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    let turn = turns.at(-1);
    if (turn === undefined || turn.role !== message.role) {
      turn = { role: message.role, entries: [] };
      turns.push(turn);
    }
    for (const block of blocks) turn.entries.push({ place, block });
  }
  return turns;
}

interface Place {
  readonly messageIndex: number;
  readonly messageId?: string;
}

function at(message: Message, messageIndex: number): Place {
  return message.id === undefined ? { messageIndex } : { messageIndex, messageId: message.id };
}

function problem(code: ViewProblemCode, place: Place, reason: string): ViewProblem {
  const name = place.messageId === undefined ? `Message ${place.messageIndex}` : `Message ${place.messageId}`;
  return { code, reason: `${name}: ${reason}`, ...place };
}

const PAIR_REASONS = {
  "orphan-result": "no call before it has this id.",
  "missing-result": "this call is not answered in the user turn right after it.",
  "pair-not-adjacent": "its call is not in the assistant turn right before it.",
  "result-not-first": "results must come before anything else in their turn.",
  "duplicate-call-id": "an earlier call already has this id.",
  "duplicate-result": "its call has been answered already.",
} as const;

function pairProblem(code: keyof typeof PAIR_REASONS, place: Place, toolUseId: string): ViewProblem {
  const half = code === "missing-result" || code === "duplicate-call-id" ? "tool call" : "result of tool call";
  return { ...problem(code, place, `${half} ${JSON.stringify(toolUseId)}: ${PAIR_REASONS[code]}`), toolUseId };
}
