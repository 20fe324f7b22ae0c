import { assert } from "../../assert.ts";
import { removeScratchpads } from "./remove-scratchpads.ts";

/** What was read in a model's reply: a snapshot that can replace the conversation, or the reason why there is none. */
export type ParsedSnapshot =
  | {
      readonly type: "snapshot";
      /** The snapshot as it is shown to the model: each tag once, the parts in their order. */
      readonly text: string;
      readonly parts: SnapshotParts;
    }
  | {
      readonly type: "malformed";
      /** The tags of the parts that are absent, or blank where they must not be. */
      readonly missing: readonly string[];
      readonly reason: string;
    };

/** The parts as the model wrote them, without the white space around them. */
export interface SnapshotParts {
  readonly overallGoal: string;
  readonly keyKnowledge: string;
  readonly fileSystemState: string;
  readonly recentActions: string;
  readonly currentPlan: string;
}

type PartTag = (typeof PART_TAGS)[number];
type PartTexts = ReadonlyMap<string, string>;

const PART_TAGS = ["overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"] as const;

/** The agent cannot go on without a goal and a plan; there may be no files, facts or actions to report. */
const NEVER_BLANK: ReadonlySet<PartTag> = new Set(["overall_goal", "current_plan"]);

const SNAPSHOT_TAG = /<(\/?)state_snapshot>/g;
const PART_OPENING = new RegExp(`<(${PART_TAGS.join("|")})>`, "g");
const WORD = /[\p{L}\p{N}]/u;

/**
 * Reads the last complete `<state_snapshot>` outside all scratchpads of a model's reply.
 *
 * Complete: closed, with all five parts, and with words in `overall_goal` and `current_plan`; the other parts may be empty.
 * A part is the text up to its own closing tag, so code and markup in it need no escaping; a part written twice is
 * joined. Only the tags of snapshot and scratchpad count everywhere.
 * @example
 * ```ts
 * import { parseSnapshot } from "palimpsest/core";
 * const parsed = parseSnapshot("<state_snapshot><overall_goal>Ship it.</overall_goal></state_snapshot>");
 * console.log(parsed.type === "malformed" && parsed.missing); // [ 'key_knowledge', 'file_system_state', 'recent_actions', 'current_plan' ]
 * ```
 */
export function parseSnapshot(reply: string): ParsedSnapshot {
  assert(typeof reply === "string", "reply", reply, "a string");
  const { text, isUnclosed } = removeScratchpads(reply);
  const { bodies, unclosedBody } = sliceBodies(text);
  for (const body of bodies.toReversed()) {
    const parts = sliceParts(body);
    if (missingParts(parts).length === 0) return renderSnapshot(parts);
  }
  const lastBody = unclosedBody ?? bodies.at(-1);
  const missing = missingParts(sliceParts(lastBody ?? ""));
  if (isUnclosed) return malformed(missing, "A <scratchpad> is never closed: what follows it may be a draft.");
  if (lastBody === undefined) return malformed(missing, "The reply holds no <state_snapshot>.");
  if (unclosedBody !== undefined)
    return malformed(missing, "The <state_snapshot> is never closed: the reply was cut off.");
  return malformed(missing, `The <state_snapshot> has nothing in: ${missing.join(", ")}.`);
}

interface Bodies {
  readonly bodies: readonly string[];
  readonly unclosedBody?: string;
}

/** The text between the tags of each snapshot. An opening tag inside a snapshot begins it anew. */
function sliceBodies(text: string): Bodies {
  const bodies: string[] = [];
  let start: number | undefined;
  for (const tag of text.matchAll(SNAPSHOT_TAG)) {
    const isOpening = tag[1] === "";
    if (!isOpening && start !== undefined) bodies.push(text.slice(start, tag.index));
    start = isOpening ? tag.index + tag[0].length : undefined;
  }
  return start === undefined ? { bodies } : { bodies, unclosedBody: text.slice(start) };
}

function sliceParts(body: string): PartTexts {
  const parts = new Map<string, string>();
  let position = 0;
  for (const opening of body.matchAll(PART_OPENING)) {
    // The name of a part inside another part is text.
    if (opening.index < position) continue;
    const tag = opening[1] ?? "";
    const start = opening.index + opening[0].length;
    const end = body.indexOf(`</${tag}>`, start);
    if (end < 0) break;
    const earlier = parts.get(tag) ?? "";
    const text = body.slice(start, end).trim();
    parts.set(tag, earlier === "" || text === "" ? earlier + text : `${earlier}\n${text}`);
    position = end;
  }
  return parts;
}

function missingParts(parts: PartTexts): readonly PartTag[] {
  return PART_TAGS.filter((tag) => {
    const text = parts.get(tag);
    return text === undefined || (NEVER_BLANK.has(tag) && !WORD.test(text));
  });
}

function renderSnapshot(texts: PartTexts): ParsedSnapshot {
  const part = (tag: PartTag) => texts.get(tag) ?? "";
  return {
    type: "snapshot",
    text: `<state_snapshot>\n${PART_TAGS.map((tag) => `<${tag}>\n${part(tag)}\n</${tag}>\n`).join("")}</state_snapshot>`,
    parts: {
      overallGoal: part("overall_goal"),
      keyKnowledge: part("key_knowledge"),
      fileSystemState: part("file_system_state"),
      recentActions: part("recent_actions"),
      currentPlan: part("current_plan"),
    },
  };
}

function malformed(missing: readonly string[], reason: string): ParsedSnapshot {
  return { type: "malformed", missing, reason };
}
