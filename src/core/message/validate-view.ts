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
  /** Also lists what this provider alone refuses; the converters of `palimpsest/messages` write a view so that it accepts it. @default none */
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
  const place = placeOf(message, messageIndex);
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
    problems.push(problem("first-turn-not-user", placeOf(first, 0), "The first message must be the user's."));
  }
  const lastIndex = messages.length - 1;
  const last = messages[lastIndex];
  if (last?.role === "assistant" && /\s$/.test(lastText(last))) {
    const reason = "A final assistant message must not end in white space.";
    problems.push(problem("trailing-whitespace", placeOf(last, lastIndex), reason));
  }
  return problems;
}

function lastText(message: Message): string {
  if (typeof message.content === "string") return message.content.slice(-1);
  const block = message.content.at(-1);
  return block !== undefined && isKnownBlock(block) && block.type === "text" ? block.text.slice(-1) : "";
}

function findContentProblems(message: Message, messageIndex: number): readonly ViewProblem[] {
  const place = placeOf(message, messageIndex);
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

/** Whether a text is empty or only white space. */
export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** Neighbouring messages of one role are one turn: providers join them. */
function findPairProblems(messages: readonly Message[]): readonly ViewProblem[] {
  const problems: ViewProblem[] = [];
  const seenCalls = new Set<string>();
  const seenResults = new Set<string>();
  /** The calls of the newest assistant turn that are not answered yet, with the messages that they are in. */
  const openCalls = new Map<string, number>();
  const add = (code: keyof typeof PAIR_REASONS, index: number, id: string) => {
    const message = messages[index];
    if (message !== undefined) problems.push(pairProblem(code, placeOf(message, index), id));
  };
  const closeTurn = () => {
    for (const [id, index] of openCalls) add("missing-result", index, id);
    openCalls.clear();
  };
  const readCall = (id: string, index: number) => {
    if (seenCalls.has(id)) add("duplicate-call-id", index, id);
    seenCalls.add(id);
    seenResults.delete(id);
    openCalls.set(id, index);
  };
  const readResult = (id: string, index: number) => {
    if (openCalls.delete(id)) seenResults.add(id);
    else if (!seenCalls.has(id)) add("orphan-result", index, id);
    else add(seenResults.has(id) ? "duplicate-result" : "pair-not-adjacent", index, id);
  };
  let role: Message["role"] | undefined;
  let isTextSeen = false;
  for (const [index, message] of messages.entries()) {
    if (message.role !== role) {
      if (role === "user") closeTurn();
      role = message.role;
      isTextSeen = false;
    }
    if (typeof message.content === "string") {
      isTextSeen = true;
      continue;
    }
    for (const block of message.content) {
      if (role === "assistant") {
        if (isToolUse(block)) readCall(block.id, index);
      } else if (isToolResult(block)) {
        if (isTextSeen) add("result-not-first", index, block.tool_use_id);
        readResult(block.tool_use_id, index);
      } else isTextSeen = true;
    }
  }
  closeTurn();
  return problems;
}

interface Place {
  readonly messageIndex: number;
  readonly messageId?: string;
}

function placeOf(message: Message, messageIndex: number): Place {
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
