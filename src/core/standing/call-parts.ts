import type { Message, ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { findRule } from "../tool-calls/find-rule.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import { toolAct } from "../tool-calls/tool-act.ts";
import { modeIn, PLAN_MODE } from "./injected-text.ts";
import { resultText } from "./result-text.ts";
import type { FoundPart } from "./standing-part.ts";

/** What binds because of the tool that was called: plans, loaded skills, modes. `callOf` gives the call that a result answers. */
export function* callParts(
  message: Message,
  callOf: (result: ToolResultBlock, blockIndex: number) => ToolUseBlock | undefined,
): Generator<FoundPart> {
  for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
    if (isToolUse(block)) {
      const key = knownPlanKey(block);
      // No two calls state the same: the newest one holds.
      if (key !== undefined) yield { kind: "plan", key, blockIndex, text: block.id, effect: "binds" };
    } else if (isToolResult(block)) {
      const call = callOf(block, blockIndex);
      if (call === undefined || block.is_error === true) continue;
      for (const part of knownResultParts(call, block)) yield { ...part, blockIndex };
    }
  }
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

// A log is read again for every fold, and several times for each: what a block says does not change.
const planKeys = new WeakMap<ToolUseBlock, { readonly key: string | undefined }>();
const resultsRead = new WeakMap<
  ToolResultBlock,
  { readonly call: ToolUseBlock; readonly parts: readonly BarePart[] }
>();

/** A part, wherever it stands in its message. */
type BarePart = Omit<FoundPart, "blockIndex">;

export function knownPlanKey(call: ToolUseBlock): string | undefined {
  const known = planKeys.get(call) ?? { key: planKey(call) };
  planKeys.set(call, known);
  return known.key;
}

export function knownResultParts(call: ToolUseBlock, result: ToolResultBlock): readonly BarePart[] {
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
