import { hidingFolds } from "../message/block-folds.ts";
import { collectStandIns, isHidden, isStandIn } from "../message/effective-view.ts";
import { type Block, isKnownBlock, type Message, type ToolResultBlock, type ToolUseBlock } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { findRule } from "../tool-calls/find-rule.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import { toolAct } from "../tool-calls/tool-act.ts";
import { isApprovedPlan, watchApprovedPlan } from "./approved-plan.ts";
import { modeIn, PLAN_MODE } from "./injected-text.ts";
import { isPlainRule, type ReadStanding, readStanding } from "./read-standing.ts";
import { resultText } from "./result-text.ts";
import { CLIP_ORDER, type FoundPart, type StandingKind, type StandingPart } from "./standing-part.ts";

/** What binds the agent in a log, by the places of its messages. */
export type Standing = ReadonlyMap<number, readonly StandingPart[]>;

export const NOTHING_STANDING: Standing = new Map();

const known = new WeakMap<readonly Message[], Standing>();

/** Finds all that binds in a log, whether folds hide it or not; each message is read once, however often its log is folded. */
export function findStanding(messages: readonly Message[]): Standing {
  const cached = known.get(messages);
  if (cached !== undefined) return cached;
  const standing = new Map<number, StandingPart[]>();
  for (const { logIndex, ...part } of bindingParts(placedParts(messages))) {
    const { text: _, effect: _1, isShown: _2, ...bare } = part;
    const parts = standing.get(logIndex);
    if (parts === undefined) standing.set(logIndex, [bare]);
    else parts.push(bare);
  }
  known.set(messages, standing);
  return standing;
}

/** Of what binds in a log, only the plan that a person approved. */
export function findApprovedPlan(messages: readonly Message[]): Standing {
  return new Map(
    [...findStanding(messages)].flatMap(([logIndex, parts]) => {
      const approved = parts.filter(isApprovedPlan);
      return approved.length === 0 ? [] : [[logIndex, approved]];
    }),
  );
}

/** A part and where it stands. */
interface PlacedPart extends FoundPart {
  readonly logIndex: number;
  /** The view shows it as it was said, or as much of it as there is room for. */
  readonly isShown: boolean;
}

function placedParts(messages: readonly Message[]): readonly PlacedPart[] {
  const standIns = collectStandIns(messages);
  const calls = new Map<string, ToolUseBlock>();
  const placed: PlacedPart[] = [];
  const speech = createSpeechPlaces();
  const approved = watchApprovedPlan();
  const bindsHere = ruleFilter(messages);
  for (const [logIndex, message] of messages.entries()) {
    if (isStandIn(message)) continue;
    const isVisible = !isHidden(message, standIns);
    const add = (part: FoundPart): void => {
      const fold = hidingFolds(message).findLast(({ blockIndex }) => blockIndex === part.blockIndex);
      // A clip is deliberate: if it did not count, a later copy of the text would bind, and fill the room that the clip made.
      const isShown = isVisible && (fold === undefined || fold.kind === "clip" || shows(fold.standIn, part));
      placed.push({ ...part, logIndex, isShown });
    };
    const read = readStanding(message);
    for (const part of read.parts) if (part.kind !== "rule" || bindsHere(part)) add(part);
    for (const part of callParts(message, calls)) add(part);
    speech.note(logIndex, message, read);
    approved.note(logIndex, message, read);
  }
  for (const part of [...speech.parts(messages), ...approved.parts()]) placed.push({ ...part, isShown: false });
  return placed;
}

/** Of fewer messages nobody knows what they are. */
const LEAST_TALK = 8;
const NAMED_SHARE = 0.8;

/**
 * Which rules bind in this log. Where an agent works with tools, all; where a person and a model only talk, those that are said as such, for
 * people often tell what they always or never do; where people talk with each other, each message with its speaker, none.
 */
function ruleFilter(messages: readonly Message[]): (rule: FoundPart) => boolean {
  let named = 0;
  let said = 0;
  for (const message of messages) {
    if (isStandIn(message)) continue;
    const { isNamed, hasCalls, hasResults } = readStanding(message);
    if (hasCalls || hasResults) return () => true;
    said += 1;
    if (isNamed) named += 1;
  }
  if (said < LEAST_TALK) return () => true;
  return named >= NAMED_SHARE * said ? () => false : ({ text }) => isPlainRule(text);
}

/** So many of the newest requests stand, where all but the oldest of them only say "go on". */
const MOST_REQUESTS = 4;

/** Of a block that is folded, what binds in a part of it may stand below its stub. */
function shows(standIn: Block, { span, text }: FoundPart): boolean {
  if (span === undefined) return false;
  if (isToolResult(standIn)) return resultText(standIn).includes(text);
  return isKnownBlock(standIn) && standIn.type === "text" && standIn.text.includes(text);
}

/** Remembers where the person spoke first and last. */
function createSpeechPlaces() {
  let first: number | undefined;
  /** The newest request and, where it only says "go on", what it goes on with. */
  let newest: readonly number[] = [];
  /** Beside what tools returned: said while the agent worked. */
  let lastBeside: number | undefined;
  /** What the assistant has listed or asked, and nobody has answered. */
  let offered: readonly Place[] = [];
  /** By a short request, what it answers. */
  const answered = new Map<number, readonly Place[]>();

  return {
    note(logIndex: number, { role }: Message, read: ReadStanding): void {
      const { speech, saysGoOn, hasResults, isShort, approves, offers, proposes } = read;
      if (role === "assistant") {
        // A plan that is approved stands longer than what is only answered.
        offered = offers.map((blockIndex) => ({ logIndex, blockIndex, isPlan: proposes.length > 0 }));
        return;
      }
      if (speech.length === 0) return;
      if (hasResults) {
        lastBeside = logIndex;
        return;
      }
      first ??= logIndex;
      if (isShort) answered.set(logIndex, approves ? offered.filter(({ isPlan }) => !isPlan) : offered);
      offered = [];
      newest = [...(saysGoOn ? newest.slice(1 - MOST_REQUESTS) : []), logIndex];
      lastBeside = undefined;
    },
    /** With its words, whatever else a person sent: what is asked may be about a picture. Beside results, only the words. */
    parts(messages: readonly Message[]): readonly (FoundPart & { readonly logIndex: number })[] {
      const whole = (kind: "task" | "request", logIndex: number) => {
        const message = messages[logIndex];
        if (message === undefined) return [];
        const { speech } = readStanding(message);
        const others = [...contentBlocks(message.content).entries()].flatMap(([index, { type }]) =>
          type === "text" ? [] : [index],
        );
        return [...speech, ...others].map((blockIndex) => spoken(kind, logIndex, blockIndex));
      };
      const beside = lastBeside === undefined ? undefined : messages[lastBeside];
      const said = beside === undefined ? [] : readStanding(beside).speech;
      return [
        ...newest.flatMap((logIndex) => whole("request", logIndex)),
        ...newest.flatMap((logIndex) => answered.get(logIndex) ?? []).map(answeredPart),
        ...(first === undefined || newest.includes(first) ? [] : whole("task", first)),
        ...said.map((blockIndex) => spoken("request", lastBeside ?? 0, blockIndex)),
      ];
    },
  };
}

/** Where the assistant offered something. */
interface Place {
  readonly logIndex: number;
  readonly blockIndex: number;
  readonly isPlan: boolean;
}

function answeredPart({ logIndex, blockIndex }: Place): FoundPart & { readonly logIndex: number } {
  const key = `plan:answered:${logIndex}:${blockIndex}`;
  return { kind: "plan", key, logIndex, blockIndex, text: "", effect: "binds" };
}

function spoken(
  kind: "task" | "request",
  logIndex: number,
  blockIndex: number,
): FoundPart & { readonly logIndex: number } {
  return { kind, key: `${kind}:${logIndex}:${blockIndex}`, logIndex, blockIndex, text: "", effect: "binds" };
}

function textArgument({ input }: ToolUseBlock, name: string): string {
  const value = typeof input === "object" && input !== null ? Reflect.get(input, name) : undefined;
  return typeof value === "string" ? value : "";
}

/** Tools that load a skill, by their names without case and separators. */
const SKILL_TOOLS: ReadonlySet<string> = new Set([
  "skill",
  "activateskill",
  "useskill",
  "loadskill",
  "invokeskill",
  "readskill",
]);
/** Shorter results only say that it was loaded. */
const SHORTEST_SKILL = 160;
const LOADED_BEFORE = /\b(?:is already loaded|was loaded earlier|loaded successfully)\b/;

/** What binds because of the tool that was called: plans, loaded skills, modes. */
function* callParts(message: Message, calls: Map<string, ToolUseBlock>): Generator<FoundPart> {
  for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
    if (isToolUse(block)) {
      calls.set(block.id, block);
      const key = knownPlanKey(block);
      // No two calls state the same: the newest one holds.
      if (key !== undefined) yield { kind: "plan", key, blockIndex, text: block.id, effect: "binds" };
    } else if (isToolResult(block)) {
      const call = calls.get(block.tool_use_id);
      if (call === undefined || block.is_error === true) continue;
      for (const part of knownResultParts(call, block)) yield { ...part, blockIndex };
    }
  }
}

// A log is read again for every fold, and several times for each: what a block says does not change.
const planKeys = new WeakMap<ToolUseBlock, { readonly key: string | undefined }>();
const resultsRead = new WeakMap<
  ToolResultBlock,
  { readonly call: ToolUseBlock; readonly parts: readonly BarePart[] }
>();

/** A part, wherever it stands in its message. */
type BarePart = Omit<FoundPart, "blockIndex">;

function knownPlanKey(call: ToolUseBlock): string | undefined {
  const known = planKeys.get(call) ?? { key: planKey(call) };
  planKeys.set(call, known);
  return known.key;
}

function knownResultParts(call: ToolUseBlock, result: ToolResultBlock): readonly BarePart[] {
  const before = resultsRead.get(result);
  if (before?.call === call) return before.parts;
  const parts = [...resultParts(call, result)];
  resultsRead.set(result, { call, parts });
  return parts;
}

/** Some agents keep their list in a table: what is inserted is an item, an update changes one. */
const TODO_STATEMENT = /^\s*(insert|replace|update|delete)\b[\s\S]{0,40}?\btodos?\b/i;

/** What a call states the whole of, or one step of. */
function planKey(call: ToolUseBlock): string | undefined {
  const { kind } = findRule(call);
  const name = normalize(call.name);
  const statement = textArgument(call, "query");
  const verb = TODO_STATEMENT.exec(statement)?.[1]?.toLowerCase();
  if (verb !== undefined)
    return `plan:${name}:${verb === "update" ? (/\bwhere\b[\s\S]*/i.exec(statement)?.[0] ?? "") : statement}`;
  if (kind === "plan") return `plan:${name}`;
  if (kind !== "plan-step") return undefined;
  const input: Readonly<Record<string, unknown>> = { ...(typeof call.input === "object" ? call.input : {}) };
  return `plan:${name}:${String(input.taskId ?? input.id ?? input.subject ?? input.title ?? "")}`;
}

function* resultParts(call: ToolUseBlock, result: ToolResultBlock): Generator<BarePart> {
  const name = normalize(call.name.split("__").at(-1) ?? call.name);
  const text = resultText(result);
  const part = { text, effect: "binds" } as const;
  if (SKILL_TOOLS.has(name) && text.length >= SHORTEST_SKILL && !LOADED_BEFORE.test(text.slice(0, 300))) {
    const input: Readonly<Record<string, unknown>> = { ...(typeof call.input === "object" ? call.input : {}) };
    const skill = String(input.skill ?? input.name ?? input.skill_name ?? "");
    yield { ...part, kind: "skill", key: `skill:${skill}` };
    return;
  }
  if (name.endsWith("planmode")) {
    const mode = modeIn(text.slice(0, 600));
    const isExit = name.startsWith("exit");
    if (isExit || mode !== undefined) {
      yield { ...part, kind: "mode", key: PLAN_MODE, effect: isExit ? "ends" : (mode?.effect ?? "binds") };
    }
    return;
  }
  // Models are told to read such files, and to keep to them.
  for (const { path, touch } of toolAct(call).files) {
    if (touch !== "read") continue;
    const [file = "", folder = ""] = path.split(/[\\/]/).toReversed();
    if (file === "SKILL.md") yield { ...part, kind: "skill", key: `skill:${folder}` };
    else if (INSTRUCTION_FILE.test(file)) yield { ...part, kind: "instructions", key: `instructions:${path}` };
  }
}

const INSTRUCTION_FILE = /^(?:AGENTS|CLAUDE|GEMINI|QWEN)(?:\.local|\.override)?\.md$/;

/** Of the parts of one key those that still bind: the newest or, where an older one says the same and is shown, that one. */
function bindingParts(placed: readonly PlacedPart[]): readonly PlacedPart[] {
  const byKey = new Map<string, PlacedPart[]>();
  for (const part of placed) {
    if (part.effect === "ends") byKey.delete(part.key);
    if (part.effect !== "binds") continue;
    const others = byKey.get(part.key);
    if (others === undefined) byKey.set(part.key, [part]);
    else others.push(part);
  }
  return [...byKey.values()].flatMap((parts) => {
    const newest = parts.at(-1);
    if (newest === undefined) return [];
    // Where it is shown already, providers have it in their caches.
    return [parts.find(({ text, isShown }) => isShown && text === newest.text) ?? newest];
  });
}

/** Whether a message holds something that binds. */
export function isStanding(standing: Standing, logIndex: number): boolean {
  return standing.has(logIndex);
}

/** How dear a block is: the dearest that stands in it; undefined where nothing does. */
export function clipRank(standing: Standing, logIndex: number, blockIndex: number): number | undefined {
  const ranks = partsOfBlock(standing, logIndex, blockIndex).map(
    ({ kind }: { readonly kind: StandingKind }) => CLIP_ORDER[kind],
  );
  return ranks.length === 0 ? undefined : Math.max(...ranks);
}

export function partsOfBlock(standing: Standing, logIndex: number, blockIndex: number): readonly StandingPart[] {
  return (standing.get(logIndex) ?? []).filter((part) => part.blockIndex === blockIndex);
}
