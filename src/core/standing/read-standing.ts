import { type Block, isKnownBlock, type Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { serialize } from "../tokens/serialize.ts";
import { readSpokenResult, type SpokenResult, spokenResults } from "../tool-calls/spoken-results.ts";
import { isEvent, modeIn, withoutNumbers } from "./identify-text.ts";
import { outsideOf, readInjectedText } from "./injected-text.ts";
import { type PointReference, referredPoints } from "./named-points.ts";
import { answerPart, findSpokenAnswer } from "./person-answers.ts";
import { rulesIn } from "./read-rules.ts";
import { resultText, resultTexts } from "./result-text.ts";
import type { FoundPart, TextSpan } from "./standing-part.ts";

/** What can be told of one message by itself: the parts that bind, and who says what. */
export interface ReadStanding {
  readonly parts: readonly FoundPart[];
  /** Indexes of the blocks in which a person speaks. */
  readonly speech: readonly number[];
  /** Whether the person only says that the agent should go on with the request before. */
  readonly saysGoOn: boolean;
  /** Whether the person agrees to a proposal. */
  readonly approves: boolean;
  /** Indexes of the blocks in which the assistant proposes a plan and waits for an answer. */
  readonly proposes: readonly number[];
  /** Indexes of the blocks in which the assistant lists or asks something and waits for an answer: a short answer means nothing without them. */
  readonly offers: readonly number[];
  /** Indexes of the text blocks of an assistant's message without calls. */
  readonly waits: readonly number[];
  /** The points, of the message right before, that a short request speaks of. */
  readonly points: PointReference | undefined;
  /** Whether the person's text is so short that it may answer the message right before. */
  readonly isShort: boolean;
  readonly hasResults: boolean;
  readonly hasCalls: boolean;
  /** Whether the text begins with a speaker's name: `Anna: …`. */
  readonly isNamed: boolean;
}

// Messages are immutable, and tagging one copies it but not its content.
const readByContent = new WeakMap<object, ReadStanding>();

/** Reads a message; cached by its content. */
export function readStanding(message: Message): ReadStanding {
  const key = typeof message.content === "string" ? message : message.content;
  const cached = readByContent.get(key);
  if (cached !== undefined) return cached;
  const read = message.role === "user" ? readUser(message) : readAssistant(message);
  readByContent.set(key, read);
  return read;
}

function readAssistant({ content }: Message): ReadStanding {
  const parts = contentBlocks(content).flatMap((block, blockIndex) => declared(block, blockIndex));
  const said = saidAlone(content);
  return {
    ...{ parts, speech: [], saysGoOn: false, approves: false, isShort: false, hasResults: false, points: undefined },
    hasCalls: contentBlocks(content).some(isToolUse),
    isNamed: SPEAKER.test(said.text),
    proposes: proposedIn(said),
    offers: offeredIn(said),
    waits: said.indexes,
  };
}

/** The texts of an assistant's message; empty where it calls a tool, as it then does not wait for an answer. */
interface SaidAlone {
  readonly indexes: readonly number[];
  readonly text: string;
}

function saidAlone(content: Message["content"]): SaidAlone {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (blocks.some(isToolUse)) return { indexes: [], text: "" };
  const texts = [...blocks.entries()].flatMap(([index, block]) =>
    isKnownBlock(block) && block.type === "text" ? [{ index, text: block.text }] : [],
  );
  return { indexes: texts.map(({ index }) => index), text: texts.map(({ text }) => text).join("\n") };
}

/** A longer text is not kept whole for the few words that may be about it. */
export const MAX_OFFER_CHARACTERS = 4_000;
const LIST_ITEM = /^[ \t]*(?:[-*•]|(?:\*\*)?(?:\d{1,2}|[A-Ha-h])[.):])[ \t]+\S/gm;
const LEAST_ITEMS = 2;

function offeredIn({ indexes, text }: SaidAlone): readonly number[] {
  const isOffer = text.trimEnd().endsWith("?") || [...text.matchAll(LIST_ITEM)].length >= LEAST_ITEMS;
  return isOffer && text.length <= MAX_OFFER_CHARACTERS ? indexes : [];
}

/** A longer text is no plan that a person approves with a word. */
const MAX_PLAN_CHARACTERS = 12_000;
const PLAN_WORDS = /\b(?:plan|proposal|propose|approach|steps?|vorgehen|schritte|étapes|pasos)\b|计划|方案|計画|계획/i;
const PLAN_STEP = /^[ \t]*(?:#{1,6} )?(?:\*\*)?(?:(?:step|phase|schritt|étape|paso) )?\d{1,2}[.):]/gim;
const LEAST_STEPS = 2;

function proposedIn({ indexes, text }: SaidAlone): readonly number[] {
  if (text.length > MAX_PLAN_CHARACTERS) return [];
  const isTagged = text.includes("<proposed_plan>");
  const isPlan = isTagged || (PLAN_WORDS.test(text) && [...text.matchAll(PLAN_STEP)].length >= LEAST_STEPS);
  return isPlan ? indexes : [];
}

const SPEAKER = /^\p{Lu}[^:\n]{0,40}: /u;

function readUser({ content }: Message): ReadStanding {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const parts: FoundPart[] = [];
  const speech: number[] = [];
  let said = "";
  const results = new Map(spokenResults(blocks).map((result) => [result.blockIndex, result]));
  for (const [blockIndex, block] of blocks.entries()) {
    parts.push(...declared(block, blockIndex));
    const role = hostRole(block);
    if (role !== undefined) parts.push(...systemPart(block, blockIndex));
    else if (isKnownBlock(block) && block.type === "text") {
      const result = results.get(blockIndex);
      // No agent injects anything into such a result: what looks like it was printed, and would stand in the user's name once the rest is hidden.
      if (result !== undefined && !OWN_OUTPUT.test(block.text)) {
        parts.push(...spokenAnswer(block.text, result));
        continue;
      }
      const { parts: injected, spans } = readInjectedText(block.text, "said");
      parts.push(...injected.map((part) => placed(part, blockIndex, block.text)));
      if (LOOP.test(block.text) && block.text.length >= LEAST_LOOP_CHARACTERS) {
        parts.push({ kind: "command", key: "command:loop", blockIndex, text: block.text, effect: "binds" });
      }
      if (!isSpeech(block.text, spans)) continue;
      speech.push(blockIndex);
      if (EDITOR_STATE.test(block.text)) continue;
      said += outsideOf(block.text, spans).trim();
      parts.push(...rulesIn(block.text, spans, blockIndex));
    } else if (isToolResult(block)) parts.push(...returnedParts(block, blockIndex));
  }
  const isShort = said.length <= MAX_ANSWER_CHARACTERS;
  return {
    parts: wholeCommands(parts, blocks.length),
    speech,
    saysGoOn: GO_ON.test(said),
    approves: isShort && APPROVAL.test(said) && !said.endsWith("?"),
    proposes: [],
    offers: [],
    waits: [],
    isShort,
    points: isShort ? referredPoints(said) : undefined,
    hasResults: blocks.some(isToolResult),
    hasCalls: false,
    isNamed: SPEAKER.test(said),
  };
}

const GO_ON =
  /^(?:please )?(?:go on|continue|proceed|resume|carry on|keep going|next|yes|ok(?:ay)?|weiter|continuez|sigue)\b.{0,30}$/i;

const MAX_ANSWER_CHARACTERS = 300;
const APPROVAL =
  /^(?:(?:yes|yep|yeah|ok(?:ay)?|sure|great|perfect|please|good|nice|ja|oui|sí|si)[,.! ]{0,3})*(?:yes|ok(?:ay)?|i approve|approved?|go ahead|go for it|lgtm|looks? good|sounds? good|do it|let's (?:do it|go)|ship it|proceed|continue|(?:start|execute|implement) (?:it|this|that|(?:the|your) plan|now)|agreed|accepted?|perfect|great|einverstanden|leg los|mach das|d'accord|vas-y|adelante|好的|可以|同意|お願いします|진행)(?![\p{L}\p{N}])/iu;

/** Instructions of a loop, which later turns only refer to. */
const LOOP = /\bloop\.md\b/;
const LEAST_LOOP_CHARACTERS = 300;

/** Commands that the agent itself carries out: they ask nothing of the model. */
const OWN_COMMAND =
  /^<command-name>\/?(?:add-dir|agents|bug|clear|compact|config|context|cost|doctor|exit|export|fast|help|hooks|ide|login|logout|mcp|memory|model|output-style|permissions|plugin|privacy-settings|quit|release-notes|resume|rewind|status|statusline|terminal-setup|theme|todos|upgrade|usage|vim)<\/command-name>$/;

/** The parts, with every block of a message that invokes a command: the command's text is in other blocks than its name. */
function wholeCommands(parts: readonly FoundPart[], blockCount: number): readonly FoundPart[] {
  if (parts.some(({ text }) => OWN_COMMAND.test(text))) return parts.filter(({ kind }) => kind !== "command");
  const command = parts.find(({ kind, key }) => kind === "command" && key !== "command:loop");
  // A command that the agent itself carried out, and only reports to the model, asks nothing of it.
  if (command === undefined || parts.some(({ text }) => text.includes("<local-command"))) return parts;
  const { span: _, ...whole } = command;
  const blocks = Array.from({ length: blockCount }, (_, blockIndex): FoundPart => {
    return { ...whole, key: `${whole.key}:${blockIndex}`, text: `${whole.text}:${blockIndex}`, blockIndex };
  });
  return [...parts, ...blocks];
}

/** The part at its block; without a span where it is the whole text. */
function placed({ span, ...part }: Omit<FoundPart, "blockIndex">, blockIndex: number, text: string): FoundPart {
  const isWhole = span === undefined || text.slice(0, span.start).trim() + text.slice(span.end).trim() === "";
  return isWhole ? { ...part, blockIndex } : { ...part, blockIndex, span };
}

/** The role of a block that a system or developer message left inside a user's message; undefined for other blocks. */
export function hostRole(block: Block): "system" | "developer" | undefined {
  const role = "role" in block ? block.role : undefined;
  return role === "system" || role === "developer" ? role : undefined;
}

/** The parts of a block of the system's: it binds unless it reports an event. Token counts, which change in each turn, are left out. */
function systemPart(block: Block, blockIndex: number): readonly FoundPart[] {
  const text = "text" in block && typeof block.text === "string" ? block.text.trim() : "";
  const said = text.replace(/<total_tokens>[^<]*<\/total_tokens>/g, "").trim();
  if (said === "" || isEvent(said)) return [];
  const mode = modeIn(said.slice(0, 600));
  // A newer element replaces one of the same name; other text replaces only text that is the same but for numbers.
  const tag = /^<([^\s<>][^<>]{0,80})>[\s\S]*<\/\1>$/.exec(said)?.[1];
  const system: FoundPart = {
    kind: "system",
    key: `system:${tag ?? withoutNumbers(said)}`,
    blockIndex,
    text: said,
    effect: "binds",
  };
  return mode === undefined || mode.effect === "binds" ? [system] : [system, { ...mode, blockIndex, text: said }];
}

/** The part of a block that declares tools or files; none for other blocks. */
function declared(block: Block, blockIndex: number): readonly FoundPart[] {
  if (!isDeclaration(block)) return [];
  const text = serialize(block);
  return [{ kind: "declaration", key: `declaration:${text}`, blockIndex, text, effect: "binds" }];
}

/** The parts that were injected into a tool's result. */
function returnedParts(block: Block, blockIndex: number): readonly FoundPart[] {
  if (!isToolResult(block) || block.is_error === true) return [];
  const whole = resultText(block);
  return resultTexts(block).flatMap(({ text, start }) =>
    readInjectedText(text, "returned").parts.map(({ span = { start: 0, end: text.length }, ...part }) =>
      placed({ ...part, span: { start: start + span.start, end: start + span.end } }, blockIndex, whole),
    ),
  );
}

/**
 * What the person said through a tool, where an agent sends its result as a text. What is above the words stays with them: without it, a view that
 * shortens the text would show the words of any tool as the user's.
 */
function spokenAnswer(text: string, result: SpokenResult): readonly FoundPart[] {
  const answer = findSpokenAnswer(text, result);
  if (answer === undefined) return [];
  return [{ ...answerPart(text, { ...answer, start: 0 }, ""), blockIndex: result.blockIndex }];
}

/** What the agent's own commands print: reminders may stand beside it. */
const OWN_OUTPUT = /^\s{0,100}<local-command-stdout>/;

/** What the user has open or selected stands with their request, which may be about it; but a file's words are not theirs. */
const EDITOR_STATE = /^\s{0,100}<ide_(?:opened_file|selection)>/;

/** Texts that agents write in the user's name. */
const NOTICE =
  /^(?:\[Request interrupted by user|<(?:environment_details|bash-input|turn_aborted)>|Stop hook feedback:|Caveat: The messages below were generated by the user while running local commands)/;

/** Whether a person speaks in a text, apart from what was injected into it. */
function isSpeech(text: string, spans: readonly TextSpan[]): boolean {
  const said = outsideOf(text, spans).trim();
  return said !== "" && !NOTICE.test(said) && readSpokenResult(said) === undefined;
}

/** Blocks that give the model a tool or a file, which it has only while it sees the block. */
const DECLARING_TYPES: ReadonlySet<string> = new Set([
  ...["tool_reference", "tool_search_tool_result", "tool_addition", "tool_removal", "tool_definition"],
  ...["container_upload", "mcp_list_tools", "additional_tools", "tool_search_output"],
]);

/** Whether a block declares a tool or a file, or holds a block that does. */
function isDeclaration(block: Block): boolean {
  if (DECLARING_TYPES.has(block.type) || namesFile(block)) return true;
  if (!isKnownBlock(block) || block.type !== "tool_result" || typeof block.content === "string") return false;
  return contentBlocks(block.content ?? "").some(isDeclaration);
}

/** Whether a block names a file that the provider stores. */
function namesFile(block: Block): boolean {
  if ("file_id" in block && typeof block.file_id === "string") return true;
  const source = "source" in block ? block.source : undefined;
  return typeof source === "object" && source !== null && "file_id" in source;
}
