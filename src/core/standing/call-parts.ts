import type { Message, ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { serialize } from "../tokens/serialize.ts";
import { findRule } from "../tool-calls/find-rule.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import { toolAct } from "../tool-calls/tool-act.ts";
import { modeIn, PLAN_MODE } from "./identify-text.ts";
import { answerPart, findAnswer } from "./person-answers.ts";
import { resultText } from "./result-text.ts";
import type { FoundPart } from "./standing-part.ts";

/** The parts of a message that bind because of the tool that was called: plans, loaded skills, modes, answers of a person. `callOf` finds the call of a result. */
export function* callParts(
  message: Message,
  callOf: (result: ToolResultBlock, blockIndex: number) => ToolUseBlock | undefined,
): Generator<FoundPart> {
  for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
    if (isToolUse(block)) {
      const key = knownPlanKey(block);
      // The call's id as the text: no two calls say the same, so that the newest one binds.
      if (key !== undefined) yield { kind: "plan", key, blockIndex, text: block.id, effect: "binds" };
    } else if (isToolResult(block)) {
      const call = callOf(block, blockIndex);
      if (call === undefined) continue;
      for (const part of knownResultParts(call, block)) yield { ...part, blockIndex };
    }
  }
}

function textArgument({ input }: ToolUseBlock, name: string): string {
  const value = typeof input === "object" && input !== null ? Reflect.get(input, name) : undefined;
  return typeof value === "string" ? value : "";
}

/** The first of these arguments that a call has, as text; empty where it has none of them. */
function firstArgument({ input }: ToolUseBlock, names: readonly string[]): string {
  const fields: Readonly<Record<string, unknown>> = { ...(typeof input === "object" ? input : {}) };
  const value = names.map((name) => fields[name]).find((field) => field !== undefined && field !== null) ?? "";
  // Models write anything, also objects with a `toString` of their own.
  return typeof value === "object" ? serialize(value) : String(value);
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
/** A shorter result only says that a skill was loaded. */
const SHORTEST_SKILL = 160;
const LOADED_BEFORE = /\b(?:is already loaded|was loaded earlier|loaded successfully)\b/;

// Cached per block, as a log is read several times for each fold.
const planKeys = new WeakMap<ToolUseBlock, { readonly key: string | undefined }>();
const resultsRead = new WeakMap<
  ToolResultBlock,
  { readonly call: ToolUseBlock; readonly parts: readonly BarePart[] }
>();

/** A part without the index of its block. */
type BarePart = Omit<FoundPart, "blockIndex">;

/** The key of the plan, or of the step, that a call states; undefined for other calls. Cached. */
export function knownPlanKey(call: ToolUseBlock): string | undefined {
  const known = planKeys.get(call) ?? { key: planKey(call) };
  planKeys.set(call, known);
  return known.key;
}

/** The parts of a result that bind because of its call. Cached. */
export function knownResultParts(call: ToolUseBlock, result: ToolResultBlock): readonly BarePart[] {
  const before = resultsRead.get(result);
  if (before?.call === call) return before.parts;
  const parts = [...resultParts(call, result)];
  resultsRead.set(result, { call, parts });
  return parts;
}

/** SQL statements of agents that keep their list in a table: an insert adds items, an update changes one. */
const TODO_STATEMENT = /^\s*(insert|replace|update|delete)\b[\s\S]{0,40}?\btodos?\b/i;

/** The key of a call that states a whole plan, or one step of it: a later call with the same key replaces it. */
function planKey(call: ToolUseBlock): string | undefined {
  const { kind } = findRule(call);
  const name = normalize(call.name);
  const statement = textArgument(call, "query");
  const verb = TODO_STATEMENT.exec(statement)?.[1]?.toLowerCase();
  if (verb !== undefined)
    return `plan:${name}:${verb === "update" ? (/\bwhere\b[\s\S]*/i.exec(statement)?.[0] ?? "") : statement}`;
  if (kind === "plan") return `plan:${name}`;
  if (kind !== "plan-step") return undefined;
  return `plan:${name}:${firstArgument(call, ["taskId", "id", "subject", "title"])}`;
}

function* resultParts(call: ToolUseBlock, result: ToolResultBlock): Generator<BarePart> {
  const name = normalize(call.name.split("__").at(-1) ?? call.name);
  const text = resultText(result);
  const answer = findAnswer(call, result);
  if (answer !== undefined) yield answerPart(text, answer, call.id);
  if (result.is_error === true) return;
  const part = { text, effect: "binds" } as const;
  if (SKILL_TOOLS.has(name) && text.length >= SHORTEST_SKILL && !LOADED_BEFORE.test(text.slice(0, 300))) {
    yield { ...part, kind: "skill", key: `skill:${firstArgument(call, ["skill", "name", "skill_name"])}` };
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
  // Models are told to read files of instructions, and to follow them.
  for (const { path, touch } of toolAct(call).files) {
    if (touch !== "read") continue;
    const [file = "", folder = ""] = path.split(/[\\/]/).toReversed();
    if (file === "SKILL.md") yield { ...part, kind: "skill", key: `skill:${folder}` };
    else if (INSTRUCTION_FILE.test(file)) {
      const kind = NEIGHBOURING_FILE.test(path) ? "reminder" : "instructions";
      yield { ...part, kind, key: `instructions:${path}` };
    }
  }
}

/** A path that leads out of the agent's folder into another one, whose instructions do not apply: they hold for the folders below theirs. */
const NEIGHBOURING_FILE = /^(?:\.\.[\\/])+(?!\.\.[\\/])[^\\/]+[\\/]/;
const INSTRUCTION_FILE = /^(?:AGENTS|CLAUDE|GEMINI|QWEN)(?:\.local|\.override)?\.md$/;
