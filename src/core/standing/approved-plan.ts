import type { Message, ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import { type ToolAct, toolAct } from "../tool-calls/tool-act.ts";
import type { ReadStanding } from "./read-standing.ts";
import { resultText } from "./result-text.ts";
import type { FoundPart, StandingPart } from "./standing-part.ts";

/** The block that holds a plan, or a part of it. */
interface Place {
  readonly logIndex: number;
  readonly blockIndex: number;
}

/** Follows which plan a person approved, whether the agent wrote it in a message, in a call, in a result, or in a file. */
export interface ApprovedPlan {
  /** Takes the next message of the log. */
  note(logIndex: number, message: Message, read: ReadStanding): void;
  /** Whether a plan was shown by a call whose result has not come yet. */
  isAwaited(): boolean;
  /** The blocks of the plan that was approved last, with the message that approved it where it was approved in words. */
  parts(): readonly (FoundPart & Place)[];
}

/** Tools that show a plan to a person, by their names without case and separators, and the words of their result where it was approved. */
const APPROVAL_TOOLS: ReadonlyMap<string, RegExp> = new Map([
  ["exitplanmode", /\b(?:approved?|start coding|proceed|implement)\b/i],
  ["planexit", /\bapproved\b/i],
  ["planmoderespond", /\bact mode\b/i],
]);

/** How much of a result is searched for whether the plan was approved. */
const VERDICT_CHARACTERS = 400;
const TURNED_DOWN = /\b(?:doesn't want|does not want|rejected|declined|not approved|cancell?ed|keep planning)\b/i;

/** A shorter text without a heading is no plan, but only says that one was approved. */
const SHORTEST_PLAN = 600;

function holdsPlan(text: string): boolean {
  return text.length >= SHORTEST_PLAN || /^#{1,3} /m.test(text);
}

/** A call that shows a plan, and waits for its result. */
interface Proposal {
  readonly call: ToolUseBlock;
  readonly place: Place;
  readonly approval: RegExp;
}

const APPROVED_KEY = "plan:approved:";

/** Whether a part is the plan that a person approved. */
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

/** Follows the plan that a person approved last, message by message, from the beginning of a log. */
export function watchApprovedPlan(): ApprovedPlan {
  const files = createPlanFiles();
  const proposals = new Map<string, Proposal>();
  /** The blocks in which the assistant has just proposed a plan in words, until somebody answers. */
  let proposed: readonly Place[] = [];
  let approved: readonly Place[] = [];

  function answer(result: ToolResultBlock, place: Place): void {
    const proposal = proposals.get(result.tool_use_id);
    if (proposal === undefined) return;
    proposals.delete(result.tool_use_id);
    const text = resultText(result);
    const verdict = text.slice(0, VERDICT_CHARACTERS);
    if (result.is_error === true || TURNED_DOWN.test(verdict) || !proposal.approval.test(verdict)) return;
    const argument = argumentText(proposal.call);
    const written = files.find(`${argument}\n${text}`);
    // A person may have changed the plan before approving it: the result then holds it.
    if (holdsPlan(text)) approved = [place];
    else approved = holdsPlan(argument) || written.length === 0 ? [proposal.place] : written;
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
      if (message.role === "assistant") proposed = here(proposes);
      else if (speech.length > 0) {
        // Together with the approving words, which may change a part of the plan.
        if (approves && proposed.length > 0) approved = [...proposed, ...here(speech)];
        proposed = [];
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

/** All texts among a call's arguments: the path of a plan may be in any of them. */
function argumentText({ input }: ToolUseBlock): string {
  if (typeof input === "string") return input;
  const values: readonly unknown[] = typeof input === "object" && input !== null ? Object.values(input) : [];
  return values.filter((value) => typeof value === "string").join("\n");
}

/** Which calls wrote plans into files. */
interface PlanFiles {
  note(call: ToolUseBlock, place: Place): void;
  /** The calls that wrote the plan file that a text names; where it names none, those of the newest plan file. */
  find(text: string): readonly Place[];
}

/** Whether a path is that of a note with "plan" in its name or in the name of its folder. */
function isPlanFile(path: string): boolean {
  const names = path.toLowerCase().split(/[\\/]/);
  return path.toLowerCase().endsWith(".md") && names.slice(-2).some((name) => name.includes("plan"));
}

/** Indexes, by path, the call that created each plan file and those that changed it since. */
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
