import type { Message, ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import { type ToolAct, toolAct } from "../tool-calls/tool-act.ts";
import type { ReadStanding } from "./read-standing.ts";
import { resultText } from "./result-text.ts";
import type { FoundPart, StandingPart } from "./standing-part.ts";

/** Where a part of a plan stands. */
interface Place {
  readonly logIndex: number;
  readonly blockIndex: number;
}

/** A plan that a person approved, wherever the agent wrote it down: said, in a call, in a result, or in a file. */
export interface ApprovedPlan {
  note(logIndex: number, message: Message, read: ReadStanding): void;
  /** Whether a result may still come that says what became of a plan that was shown. */
  isAwaited(): boolean;
  /** The plan that was approved last, and the words that approved it. */
  parts(): readonly (FoundPart & Place)[];
}

/** Tools that show a plan to a person, by their names without case and separators, and what a result says where it was approved. */
const APPROVAL_TOOLS: ReadonlyMap<string, RegExp> = new Map([
  ["exitplanmode", /\b(?:approved?|start coding|proceed|implement)\b/i],
  ["planexit", /\bapproved\b/i],
  ["planmoderespond", /\bact mode\b/i],
]);

/** How much of a result says whether the plan was approved. */
const VERDICT_CHARACTERS = 400;
const TURNED_DOWN = /\b(?:doesn't want|does not want|rejected|declined|not approved|cancell?ed|keep planning)\b/i;

/** Less than this, without a heading, only says that it was approved. */
const SHORTEST_PLAN = 600;

function holdsPlan(text: string): boolean {
  return text.length >= SHORTEST_PLAN || /^#{1,3} /m.test(text);
}

interface Proposal {
  readonly call: ToolUseBlock;
  readonly place: Place;
  readonly approval: RegExp;
}

const APPROVED_KEY = "plan:approved:";

export function isApprovedPlan({ key }: StandingPart): boolean {
  return key.startsWith(APPROVED_KEY);
}

/** Whether a call shows a plan to a person. */
export function showsPlan(call: ToolUseBlock): boolean {
  return APPROVAL_TOOLS.has(normalize(call.name));
}

/** Whether a call shows a plan, or writes one into a file. */
export function concernsPlan(call: ToolUseBlock): boolean {
  return showsPlan(call) || toolAct(call).files.some(writesPlan);
}

function writesPlan({ path, touch }: ToolAct["files"][number]): boolean {
  return touch !== "read" && touch !== "deleted" && isPlanFile(path);
}

/** Watches a log, message by message, for the plan that a person approved last. */
export function watchApprovedPlan(): ApprovedPlan {
  const files = createPlanFiles();
  const proposals = new Map<string, Proposal>();
  /** What the assistant has just proposed in words, and nobody has answered. */
  let said: readonly Place[] = [];
  let approved: readonly Place[] = [];

  function answer(result: ToolResultBlock, place: Place): void {
    const proposal = proposals.get(result.tool_use_id);
    if (proposal === undefined) return;
    proposals.delete(result.tool_use_id);
    const text = resultText(result);
    const verdict = text.slice(0, VERDICT_CHARACTERS);
    if (result.is_error === true || TURNED_DOWN.test(verdict) || !proposal.approval.test(verdict)) return;
    const given = argumentText(proposal.call);
    const written = files.find(`${given}\n${text}`);
    // A person may have changed it before approving it: then the result has it.
    if (holdsPlan(text)) approved = [place];
    else approved = holdsPlan(given) || written.length === 0 ? [proposal.place] : written;
  }

  function noteCall(call: ToolUseBlock, place: Place): void {
    const approval = APPROVAL_TOOLS.get(normalize(call.name));
    if (approval === undefined) files.note(call, place);
    else proposals.set(call.id, { call, place, approval });
  }

  return {
    note: (logIndex, message, { speech, approves, proposes }) => {
      for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
        if (isToolUse(block)) noteCall(block, { logIndex, blockIndex });
        else if (isToolResult(block)) answer(block, { logIndex, blockIndex });
      }
      const here = (blocks: readonly number[]) => blocks.map((blockIndex) => ({ logIndex, blockIndex }));
      if (message.role === "assistant") said = here(proposes);
      else if (speech.length > 0) {
        // With the words that approved it: they may change a part of it.
        if (approves && said.length > 0) approved = [...said, ...here(speech)];
        said = [];
      }
    },
    isAwaited: () => proposals.size > 0,
    parts: () =>
      approved.map((place) => {
        const key = `${APPROVED_KEY}${place.logIndex}:${place.blockIndex}`;
        return { ...place, kind: "plan", key, text: "", effect: "binds" };
      }),
  };
}

/** A plan may be named by a path anywhere in what a call was given. */
function argumentText({ input }: ToolUseBlock): string {
  if (typeof input === "string") return input;
  const values: readonly unknown[] = typeof input === "object" && input !== null ? Object.values(input) : [];
  return values.filter((value) => typeof value === "string").join("\n");
}

interface PlanFiles {
  note(call: ToolUseBlock, place: Place): void;
  /** The calls that wrote the plan which a text names; where it names none, the plan that was written last. */
  find(text: string): readonly Place[];
}

/** A note that is called a plan, or lies in a folder of plans. */
function isPlanFile(path: string): boolean {
  const names = path.toLowerCase().split(/[\\/]/);
  return path.toLowerCase().endsWith(".md") && names.slice(-2).some((name) => name.includes("plan"));
}

/** Plans in files: the call that wrote each, and those that changed it since. */
function createPlanFiles(): PlanFiles {
  const calls = new Map<string, readonly Place[]>();
  return {
    note: (call, place) => {
      for (const { path, touch } of toolAct(call).files.filter(writesPlan)) {
        const before = touch === "created" ? [] : (calls.get(path) ?? []);
        calls.delete(path);
        calls.set(path, [...before, place]);
      }
    },
    find: (text) => {
      const named = [...calls].findLast(([path]) => text.includes(path.split(/[\\/]/).at(-1) ?? path));
      return (named ?? [...calls].at(-1))?.[1] ?? [];
    },
  };
}
