import { type Block, type Content, isKnownBlock } from "../message/message.ts";

const HEADING_END = "] Result:";

/** What a tool returned, where an agent sends it as a text of the user's. */
export interface SpokenResult {
  /** The tool that the agent names above it; undefined where it names none. */
  readonly name: string | undefined;
  /** Index of the text block. */
  readonly blockIndex: number;
  /** Offset of what the tool returned in that text. */
  readonly start: number;
}

/** The beginnings of tool outputs in agents that name no tool above them. */
const NAMELESS_OPENINGS: readonly string[] = [
  ...["<returncode>", "<output>", "<warning>", "OBSERVATION:", "Observation:", "EXECUTION RESULT of ["],
  ...["[The command completed", "<command_output>", "<local-command-stdout>", "<function_results>", "<tool_result>"],
];

/**
 * Finds the results of tools among the texts of a user's message: `[read_file for 'a.ts'] Result: …`. Some agents send this heading as a text of
 * its own; the next text is then what the tool returned, whatever it begins with.
 */
export function spokenResults(content: Content): readonly SpokenResult[] {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const found: SpokenResult[] = [];
  let announced: string | undefined;
  for (const [blockIndex, block] of blocks.entries()) {
    if (!isKnownBlock(block) || block.type !== "text" || "role" in block) continue;
    if (announced !== undefined) {
      found.push({ name: announced, blockIndex, start: 0 });
      announced = undefined;
      continue;
    }
    const result = readSpokenResult(block.text);
    if (result === undefined) continue;
    found.push({ ...result, blockIndex });
    // Where a line break follows, the output below the heading is empty, and the next text is not the tool's.
    if (result.start === block.text.length && block.text.endsWith(HEADING_END)) announced = result.name;
  }
  return found;
}

/** Reads a text as the result of a tool, without regard to the texts beside it; undefined where the user may have said it. */
export function readSpokenResult(text: string): Omit<SpokenResult, "blockIndex"> | undefined {
  return readHeading(text) ?? (isNameless(text) ? { name: undefined, start: 0 } : undefined);
}

/** Elements in which agents tell in the user's name what a sub-agent or a background task reported, or what a command of the user's printed. */
const REPORTS =
  "bash-stdout|bash-stderr|user_shell_command|subagent_notification|(?:task|agent)-notification|system_notification";
const REPORT_OPENING = new RegExp(`^(?:\\[SYSTEM NOTIFICATION[^\\]\\n]{0,60}\\][^<]{0,300})?<(?:${REPORTS})>`);
const REPORT_END = new RegExp(`</(?:${REPORTS})>$`);

function isNameless(text: string): boolean {
  const start = text.slice(0, 700).trimStart();
  if (NAMELESS_OPENINGS.some((opening) => start.startsWith(opening))) return true;
  // The user may have said something behind it.
  return REPORT_OPENING.test(start) && REPORT_END.test(text.trimEnd().slice(-40));
}

/** A tool's name, alone or with the first words of what it was called for. */
const HEADING = /^\s{0,100}\[([\w.-]{1,60})(?: [^\]\n]{0,400})?\] Result:\s*/;
/** The same where what it was called for is quoted: a command or a pattern may hold brackets and line breaks. */
const QUOTED_HEADING = /^\s{0,100}\[([\w.-]{1,60})(?: [a-z]{1,10}){1,3}:? '/;

function readHeading(text: string): Omit<SpokenResult, "blockIndex"> | undefined {
  const opening = text.slice(0, 700);
  const plain = HEADING.exec(opening);
  if (plain !== null) return { name: plain[1], start: plain[0].length };
  const name = QUOTED_HEADING.exec(opening)?.[1];
  const end = name === undefined ? -1 : text.indexOf(HEADING_END);
  if (end < 0) return undefined;
  const start = end + HEADING_END.length;
  return { name, start: start + (text.slice(start).length - text.slice(start).trimStart().length) };
}
