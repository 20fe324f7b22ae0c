import type { NeededPlace } from "../ledger/needed-places.ts";
import { NEEDED_PART } from "./hybrid-prompt.ts";

/** What a model wrote for a hybrid: a summary for the agent, and the places that the ledger has to quote. */
export interface HybridReply {
  readonly summary: string;
  /** The most needed first. */
  readonly needed: readonly NeededPlace[];
}

/** A list without an end is none. */
const MOST_PLACES = 60;
const MOST_NAMES = 12;

/** Takes the list of needed places from the end of a reply. Without such a list, as custom prompts ask for none, all of the reply is the summary. */
export function readHybridReply(reply: string): HybridReply {
  const lines = reply.split("\n");
  const heading = lines.findLastIndex(isHeading);
  if (heading === -1) return { summary: reply, needed: [] };
  return {
    summary: lines.slice(0, heading).join("\n").trimEnd(),
    needed: lines
      .slice(heading + 1)
      .flatMap((line) => readPlace(line) ?? [])
      .slice(0, MOST_PLACES),
  };
}

const HEADING_MARKS = /[#*:\s]/g;
const LONGEST_HEADING = 40;

function isHeading(line: string): boolean {
  return line.startsWith("#") && line.length <= LONGEST_HEADING && line.replace(HEADING_MARKS, "") === NEEDED_PART;
}

const BULLET = /^\s{0,8}(?:[-*•]|\d{1,3}[.)])\s{1,4}/;
/** The end of a path: names may hold colons too, but not before a blank or a number. */
const PATH_END = /:(?=\s|\d)/;
const RANGE = /^(\d{1,7})(?:\s?[-–]\s?(\d{1,7}))?$/;

function readPlace(line: string): NeededPlace | undefined {
  const text = line.replace(BULLET, "").replaceAll("`", "").trim();
  if (text === "") return undefined;
  const end = text.search(PATH_END);
  const start = end === -1 ? "" : text.slice(0, end);
  const path = start === "" || start.includes(" ") || start.includes(",") ? undefined : start;
  const items = (path === undefined ? text : text.slice(end + 1))
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .slice(0, MOST_NAMES);
  const ranges = path === undefined ? [] : items.flatMap((item) => readRange(item) ?? []);
  return { path, ranges, names: items.filter((item) => path === undefined || !RANGE.test(item)) };
}

function readRange(item: string): NeededPlace["ranges"][number] | undefined {
  const [, from, to = from] = RANGE.exec(item) ?? [];
  if (from === undefined) return undefined;
  return { first: Math.min(Number(from), Number(to)), last: Math.max(Number(from), Number(to)) };
}
