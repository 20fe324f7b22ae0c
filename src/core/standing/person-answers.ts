import type { ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import type { SpokenResult } from "../tool-calls/spoken-results.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import { resultText } from "./result-text.ts";
import type { FoundPart, StandingPart, TextSpan } from "./standing-part.ts";

/** Tools that ask a person, by their names without case and separators: what they return is what the person said. */
const QUESTION_TOOLS: ReadonlySet<string> = new Set([
  ...["askuserquestion", "askuser", "askquestion", "askfollowupquestion", "question", "requestuserinput"],
]);

/** How such a tool says that the person did not answer. */
const NO_ANSWER =
  /^(?:the )?user (?:declined|dismissed|cancell?ed|skipped|rejected|submitted without|did(?: not|n't))\b|^\s*$/i;

/** How agents begin the result of a call that a person refused, or allowed with a remark; what the person said comes behind it. */
const REMARKS: readonly RegExp[] = [
  /^(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action right now)\b[^\n]{0,400}?\bthe user said:\s*/,
  /^(?:Error: )?The user rejected permission to use this specific tool call with the following feedback:\s*/,
  /^The user (?:denied|approved) this operation and (?:provided the following (?:feedback|context)|responded with the message):\s*/,
  /^The user has provided feedback on the results\.[^\n]{0,200}\n\s*/,
];

/** The longest opening that `REMARKS` match. */
const MAX_OPENING_CHARACTERS = 700;
/** What Claude Code adds behind the words of a refusal. */
const NOTE = /\n\nNote: The user's next message may contain /;
const ELEMENT = /^<(feedback|user_message)>\n?([\s\S]*?)\n?<\/\1>/;

/** The words of a person in a result, and whether it is certain that a person said them. */
export interface PersonAnswer extends TextSpan {
  /** False for a remark that any tool could have printed. */
  readonly isCertain: boolean;
}

/** Tools whose errors may hold the words of a stranger: a server's (`mcp__files__read`, `mcp_files_read`, `files.read`), and those that read web pages. */
const STRANGERS_TOOL = /__|[./:]|^mcp_|fetch|web|http|brows|url/i;

/** A person types a shorter remark; a tool that passes its output off as one must not fill the window with it. */
const LONGEST_UNCERTAIN_CHARACTERS = 2_000;

/**
 * Finds what a person said through a tool: the answer to its question, or the remark with which they refused or allowed its call. It is certain for
 * the answer to a question, and for the refusal of an agent's own tool: an error. A server writes its errors itself, and so does a web page.
 */
export function findAnswer(call: ToolUseBlock, result: ToolResultBlock): PersonAnswer | undefined {
  const text = resultText(result);
  const remark = findRemark(text);
  if (remark !== undefined) {
    const isCertain = asksPerson(call) || (result.is_error === true && !STRANGERS_TOOL.test(call.name));
    return isCertain || remark.end - remark.start <= LONGEST_UNCERTAIN_CHARACTERS
      ? { ...remark, isCertain }
      : undefined;
  }
  if (result.is_error === true || !asksPerson(call) || NO_ANSWER.test(text)) return undefined;
  return { start: 0, end: text.length, isCertain: true };
}

/** Finds the same in a text of the user's that is a tool's result. */
export function findSpokenAnswer(text: string, { name, start }: SpokenResult): PersonAnswer | undefined {
  if (name === undefined) return undefined;
  const call = { type: "tool_use", id: "", name, input: {} } as const;
  const answer = findAnswer(call, { type: "tool_result", tool_use_id: "", content: text.slice(start) });
  return answer && { ...answer, start: start + answer.start, end: start + answer.end };
}

/** A part without the index of its block. */
type BarePart = Omit<FoundPart, "blockIndex">;

/** What a person answered, as a part that binds. Some providers use the id of a call again, so the words are in the key. */
export function answerPart(text: string, { start, end, isCertain }: PersonAnswer, callId: string): BarePart {
  const words = text.slice(start, end);
  const key = `${isCertain ? "answer" : UNCERTAIN}:${callId}:${words}`;
  const part = { kind: "answer", key, text: words, effect: "binds" } as const;
  return start === 0 && end === text.length ? part : { ...part, span: { start, end } };
}

const UNCERTAIN = "remark";

/** Whether a part is an answer that any tool could have printed. */
export function isUncertain({ kind, key }: StandingPart): boolean {
  return kind === "answer" && key.startsWith(`${UNCERTAIN}:`);
}

/** Whether a call asks a person a question. A server's tool of the same name has the server's name before it. */
export function asksPerson({ name }: ToolUseBlock): boolean {
  return QUESTION_TOOLS.has(normalize(name));
}

/** Finds what a person said of a call that they refused or allowed, in the text of its result. */
export function findRemark(text: string): TextSpan | undefined {
  const opening = text.slice(0, MAX_OPENING_CHARACTERS);
  for (const remark of REMARKS) {
    const start = remark.exec(opening)?.[0].length;
    if (start === undefined) continue;
    const span = trimSpan(text, wordsAt(text, start));
    return span.start < span.end ? span : undefined;
  }
  return undefined;
}

/** The person's words in an element or in quotes, or else all of the rest but for the agent's own note. */
function wordsAt(text: string, start: number): TextSpan {
  const rest = text.slice(start);
  const element = ELEMENT.exec(rest);
  if (element !== null) {
    const [, tag = "", words = ""] = element;
    const wordsStart = start + rest.indexOf(words, tag.length + 2);
    return { start: wordsStart, end: wordsStart + words.length };
  }
  const end = start + (NOTE.exec(rest)?.index ?? rest.length);
  const isQuoted = text[start] === '"' && text.slice(start, end).trimEnd().endsWith('"') && end - start > 1;
  return isQuoted ? { start: start + 1, end: start + text.slice(start, end).trimEnd().length - 1 } : { start, end };
}

function trimSpan(text: string, { start, end }: TextSpan): TextSpan {
  const words = text.slice(start, end);
  return { start: start + (words.length - words.trimStart().length), end: start + words.trimEnd().length };
}
