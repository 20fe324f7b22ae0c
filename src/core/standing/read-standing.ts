import { type Block, isKnownBlock, type Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { isConstraint } from "../text/constraint-words.ts";
import { SPOKEN_OUTPUTS } from "../tool-calls/agent-tools.ts";
import { isEvent, modeIn, outsideOf, readInjectedText, withoutNumbers } from "./injected-text.ts";
import { type PointReference, referredPoints } from "./named-points.ts";
import { resultText, resultTexts } from "./result-text.ts";
import type { FoundPart, TextSpan } from "./standing-part.ts";

/** What of one message binds, by itself alone. */
export interface ReadStanding {
  readonly parts: readonly FoundPart[];
  /** The blocks in which a person speaks. */
  readonly speech: readonly number[];
  /** Whether all that is said is that the agent should go on with what it was asked before. */
  readonly saysGoOn: boolean;
  /** Whether the person agrees to what was proposed. */
  readonly approves: boolean;
  /** The blocks in which the assistant proposes a plan, and waits for what the person says. */
  readonly proposes: readonly number[];
  /** The blocks in which the assistant lists or asks something, and waits for what the person says: a short answer means nothing without them. */
  readonly offers: readonly number[];
  /** The blocks of words that the assistant says where it calls nothing, and waits. */
  readonly waits: readonly number[];
  /** Which points of what was said right before a short request speaks of. */
  readonly points: PointReference | undefined;
  /** Whether what the person says is so short that it may be about what was said right before. */
  readonly isShort: boolean;
  readonly hasResults: boolean;
  readonly hasCalls: boolean;
  /** Whether it says who speaks before what is said, as `Anna: …`. */
  readonly isNamed: boolean;
}

// Messages are immutable, and tagging one copies it but not its content.
const known = new WeakMap<object, ReadStanding>();

/** Reads a message once, however often its log is folded. */
export function readStanding(message: Message): ReadStanding {
  const key = typeof message.content === "string" ? message : message.content;
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const read = message.role === "user" ? readUser(message) : readAssistant(message);
  known.set(key, read);
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

/** The texts of a message that calls no tool: whoever calls one beside them does not wait for an answer. */
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

/** What is longer takes too much room for what a few words may be about. */
export const MAX_OFFER_CHARACTERS = 4_000;
const LIST_ITEM = /^[ \t]*(?:[-*•]|(?:\*\*)?(?:\d{1,2}|[A-Ha-h])[.):])[ \t]+\S/gm;
const LEAST_ITEMS = 2;

function offeredIn({ indexes, text }: SaidAlone): readonly number[] {
  const isOffer = text.trimEnd().endsWith("?") || [...text.matchAll(LIST_ITEM)].length >= LEAST_ITEMS;
  return isOffer && text.length <= MAX_OFFER_CHARACTERS ? indexes : [];
}

/** What is longer is no plan that a person reads and approves with a word. */
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
  for (const [blockIndex, block] of blocks.entries()) {
    parts.push(...declared(block, blockIndex));
    const role = hostRole(block);
    if (role !== undefined) parts.push(...systemPart(block, blockIndex));
    else if (isKnownBlock(block) && block.type === "text") {
      const { parts: injected, spans } = readInjectedText(block.text, "said");
      parts.push(...injected.map((part) => placed(part, blockIndex, block.text)));
      if (LOOP.test(block.text) && block.text.length >= LEAST_LOOP_CHARACTERS) {
        parts.push({ kind: "command", key: "command:loop", blockIndex, text: block.text, effect: "binds" });
      }
      if (!isSpeech(block.text, spans)) continue;
      speech.push(blockIndex);
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

/** What is to be done again and again; later turns only say that it was said before. */
const LOOP = /\bloop\.md\b/;
const LEAST_LOOP_CHARACTERS = 300;

/** Commands that the agent itself carries out, and that ask the model for nothing. */
const OWN_COMMAND =
  /^<command-name>\/?(?:add-dir|agents|bug|clear|compact|config|context|cost|doctor|exit|export|fast|help|hooks|ide|login|logout|mcp|memory|model|output-style|permissions|plugin|privacy-settings|quit|release-notes|resume|rewind|status|statusline|terminal-setup|theme|todos|upgrade|usage|vim)<\/command-name>$/;

/** What a command says stands in other blocks than its name. */
function wholeCommands(parts: readonly FoundPart[], blockCount: number): readonly FoundPart[] {
  if (parts.some(({ text }) => OWN_COMMAND.test(text))) return parts.filter(({ kind }) => kind !== "command");
  const command = parts.find(({ kind, key }) => kind === "command" && key !== "command:loop");
  // What the agent itself carries out, and tells the model about, asks for nothing.
  if (command === undefined || parts.some(({ text }) => text.includes("<local-command"))) return parts;
  const all = Array.from({ length: blockCount }, (_, blockIndex): FoundPart => {
    return { ...command, key: `${command.key}:${blockIndex}`, text: `${command.text}:${blockIndex}`, blockIndex };
  });
  const whole = all.map(({ span: _, ...part }) => part);
  return [...parts, ...whole];
}

function placed({ span, ...part }: Omit<FoundPart, "blockIndex">, blockIndex: number, text: string): FoundPart {
  const isWhole = span === undefined || text.slice(0, span.start).trim() + text.slice(span.end).trim() === "";
  return isWhole ? { ...part, blockIndex } : { ...part, blockIndex, span };
}

/** The system or the developer, where one speaks inside a user's message. */
export function hostRole(block: Block): "system" | "developer" | undefined {
  const role = "role" in block ? block.role : undefined;
  return role === "system" || role === "developer" ? role : undefined;
}

/** Of a message of the system only what is counted anew in each turn is left out of account. */
function systemPart(block: Block, blockIndex: number): readonly FoundPart[] {
  const text = "text" in block && typeof block.text === "string" ? block.text.trim() : "";
  const said = text.replace(/<total_tokens>[^<]*<\/total_tokens>/g, "").trim();
  if (said === "" || isEvent(said)) return [];
  const mode = modeIn(said.slice(0, 600));
  // Elements of one name replace each other; else only what is the same but for its numbers does.
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

function declared(block: Block, blockIndex: number): readonly FoundPart[] {
  if (!isDeclaration(block)) return [];
  const text = JSON.stringify(block) ?? "";
  return [{ kind: "declaration", key: `declaration:${text}`, blockIndex, text, effect: "binds" }];
}

function returnedParts(block: Block, blockIndex: number): readonly FoundPart[] {
  if (!isToolResult(block) || block.is_error === true) return [];
  const whole = resultText(block);
  return resultTexts(block).flatMap(({ text, start }) =>
    readInjectedText(text, "returned").parts.map(({ span = { start: 0, end: text.length }, ...part }) =>
      placed({ ...part, span: { start: start + span.start, end: start + span.end } }, blockIndex, whole),
    ),
  );
}

/** Agents without calls get what tools returned as what the user says. */
const SPOKEN_RESULT = /^\[[\w .-]{1,60}(?: for [^\]\n]{0,400})?\] Result:|^\[Request interrupted by user/;

/** Whether a person speaks in a text, besides what a program put into it. */
function isSpeech(text: string, spans: readonly TextSpan[]): boolean {
  const said = outsideOf(text, spans).trim();
  if (said === "" || SPOKEN_RESULT.test(said.slice(0, 500))) return false;
  return !SPOKEN_OUTPUTS.some((opening) => said.startsWith(opening)) && !/^<environment_details>/.test(said);
}

/** Longer texts are pasted: of these, only the lines that bind are kept. */
const MAX_TYPED_CHARACTERS = 1_200;
const MAX_RULE_CHARACTERS = 1_000;
const MOST_RULE_LINES = 20;

/** What a person binds the agent to for good. */
function rulesIn(text: string, spans: readonly TextSpan[], blockIndex: number): readonly FoundPart[] {
  const isTyped = outsideOf(text, spans).length <= MAX_TYPED_CHARACTERS;
  const lines = linesOf(text)
    .filter(({ start, end }) => !spans.some((span) => start < span.end && end > span.start))
    .filter(({ start, end }) => isRule(text.slice(start, end)))
    .slice(0, MOST_RULE_LINES);
  const rule = { kind: "rule", blockIndex, effect: "binds" } as const;
  if (isTyped && lines.length > 0) return [{ ...rule, key: `rule:${text}`, text }];
  return lines.map((span) => {
    const line = text.slice(span.start, span.end);
    return { ...rule, key: `rule:${line}`, text: line, span };
  });
}

function linesOf(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (const { 0: line, index: start } of text.matchAll(/[^\n]+/g)) spans.push({ start, end: start + line.length });
  return spans;
}

const RULE =
  /(?<![\p{L}\p{N}])(?:never|always|must not|mustn't|do not ever|don't ever|under no circumstances|from now on|at all times|forbidden|prohibited|niemals|nie|immer|jamais|toujours|nunca|siempre|sempre|nooit|altijd|nigdy|zawsze|никогда|всегда)(?![\p{L}\p{N}])|永远|切勿|禁止|必须|必ず|絶対|반드시|절대/iu;

function isRule(line: string): boolean {
  return line.length <= MAX_RULE_CHARACTERS && RULE.test(line) && isConstraint(line);
}

/** Said as a rule: as an order, or to whoever works. `I have always loved it` and `as always` tell something else. */
const PLAIN_RULE =
  /(?:^|[.!?:;–—] |[-*•] |(?<![\p{L}\p{N}])(?:please|must|should|shall|you|to|we) )(?:never|always)(?! (?:been|had|felt|seen|thought|loved|liked|wanted|dreamed|enjoyed|mind)(?![\p{L}\p{N}]))(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:must not|mustn't|do not ever|don't ever|under no circumstances|from now on|at all times|forbidden|prohibited|i (?:always|never) (?:want|need|expect|prefer))(?![\p{L}\p{N}])/imu;
/** Of other languages the word alone decides. */
const OTHER_LANGUAGES =
  /(?<![\p{L}\p{N}])(?:niemals|nie|immer|jamais|toujours|nunca|siempre|sempre|nooit|altijd|nigdy|zawsze|никогда|всегда)(?![\p{L}\p{N}])|永远|切勿|禁止|必须|必ず|絶対|반드시|절대/iu;

/** Whether a text says a rule in so many words. */
export function isPlainRule(text: string): boolean {
  return PLAIN_RULE.test(text) || OTHER_LANGUAGES.test(text);
}

/** Blocks that give the model a tool or a file: it has them only as long as it sees them. */
const DECLARING_TYPES: ReadonlySet<string> = new Set([
  ...["tool_reference", "tool_search_tool_result", "tool_addition", "tool_removal", "tool_definition"],
  ...["container_upload", "mcp_list_tools", "additional_tools", "tool_search_output"],
]);

/** Whether a block declares something, or holds what does. */
function isDeclaration(block: Block): boolean {
  if (DECLARING_TYPES.has(block.type) || namesFile(block)) return true;
  if (!isKnownBlock(block) || block.type !== "tool_result" || typeof block.content === "string") return false;
  return contentBlocks(block.content ?? "").some(isDeclaration);
}

/** A picture or a document that the provider keeps under an id. */
function namesFile(block: Block): boolean {
  if ("file_id" in block && typeof block.file_id === "string") return true;
  const source = "source" in block ? block.source : undefined;
  return typeof source === "object" && source !== null && "file_id" in source;
}
