import type { ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import { resultText } from "./result-text.ts";
import type { TextSpan } from "./standing-part.ts";

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

/** Finds what a person said through a tool: the answer to its question, or the remark with which they refused or allowed its call. */
export function findAnswer(call: ToolUseBlock, result: ToolResultBlock): TextSpan | undefined {
  const text = resultText(result);
  const remark = findRemark(text);
  if (remark !== undefined) return remark;
  if (result.is_error === true || !asksPerson(call) || NO_ANSWER.test(text)) return undefined;
  return { start: 0, end: text.length };
}

/** How agents without calls name the tool in the text of its result. */
const SPOKEN_OPENING = /^\[([\w.-]{1,60})(?: for [^\]\n]{0,400})?\] Result:\s*/;

/** Finds the same in a result that an agent sends as a text of the user: `[apply_diff for 'a.ts'] Result: …`. */
export function findSpokenAnswer(text: string): TextSpan | undefined {
  const [opening = "", name = ""] = SPOKEN_OPENING.exec(text.slice(0, MAX_OPENING_CHARACTERS)) ?? [];
  if (opening === "") return undefined;
  const returned = text.slice(opening.length);
  const call = { type: "tool_use", id: "", name, input: {} } as const;
  const span = findAnswer(call, { type: "tool_result", tool_use_id: "", content: returned });
  return span && { start: opening.length + span.start, end: opening.length + span.end };
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
