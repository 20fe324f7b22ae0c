import { parseJson } from "../../core/json/parse-json.ts";
import type { Message } from "../../core/message/message.ts";
import { cutBefore } from "../../core/text/clip-cut.ts";

/** The kinds of notes that the scripted model takes, and the most of each that it keeps: the newest ones, but the first goal. */
const MOST_NOTES = { Goal: 1, Person: 60, Decided: 24, File: 48, Ran: 16, Error: 12, Said: 3, Stopped: 1 };

type Label = keyof typeof MOST_NOTES;

/** The texts of the notes of one kind. A note is a line of the reply: "- Label: text". */
export function textsOf(notes: readonly string[], label: string): readonly string[] {
  const beginning = `- ${label}: `;
  return notes.flatMap((note) => (note.startsWith(beginning) ? [note.slice(beginning.length)] : []));
}

/** Removes repeated notes, and keeps the newest of each kind: the share of the most that is kept. */
export function keepNotes(notes: readonly string[], share: number): readonly string[] {
  const unique = new Set<string>();
  for (const note of notes) {
    // A repeated statement keeps its first position; a file or a command moves to its last use.
    if (!/^- (?:Goal|Person|Decided): /.test(note)) unique.delete(note);
    unique.add(note);
  }
  return Object.entries(MOST_NOTES).flatMap(([label, most]) => {
    const same = textsOf([...unique], label).map((text) => `- ${label}: ${text}`);
    return label === "Goal" ? same.slice(0, 1) : same.slice(-Math.ceil(most * share));
  });
}

const EARLIER_SUMMARY = /<earlier_summary>\n([\s\S]*)\n<\/earlier_summary>/;
const CALL = /(?:^|\n\n)\[tool call ([\s\S]*?)\](?=\n\n|$)/g;
const OUTPUT = /<tool_output tool="([^"]*)"( status="error")?>\n([\s\S]*?)\n<\/tool_output>/g;
/** Lines that stand in for hidden messages, gaps and images. */
const STAND_IN_LINE = /^\[.*\]$/gm;

/** Takes notes on a condensing request by fixed rules: those of the earlier summary, then new ones on the conversation, which is text. */
export function takeNotes(messages: readonly Message[]): readonly string[] {
  const texts = messages.map(({ role, content }) => ({ role, text: typeof content === "string" ? content : "" }));
  const [, earlier = ""] = EARLIER_SUMMARY.exec(texts.at(-1)?.text ?? "") ?? [];
  let calls: readonly string[] = [];
  const taken = texts.slice(0, -1).flatMap(({ role, text }) => {
    const said = text
      .replaceAll(role === "assistant" ? CALL : OUTPUT, "")
      .replaceAll(STAND_IN_LINE, "")
      .trim();
    if (role === "user") {
      const outputs = Array.from(text.matchAll(OUTPUT), ([, tool = "", status, output = ""], index) =>
        notesOnOutput(calls[index] ?? tool, output, status !== undefined),
      );
      return [...outputs.flat(), ...notesOnPerson(said)];
    }
    calls = Array.from(text.matchAll(CALL), ([, call = ""]) => call);
    return notesOnAgent(said, calls);
  });
  return [...earlier.split("\n"), ...taken];
}

function notesOnPerson(said: string): readonly string[] {
  const sentences = sentencesOf(said);
  const goals = [...sentences.filter((sentence) => /\bplease\b/i.test(sentence)), ...sentences].slice(0, 1);
  return [
    ...notesOf("Goal", goals),
    ...notesOf(
      "Person",
      linesOf(said).map((line) => `"${line}"`),
    ),
  ];
}

const DECISION = /\b(?:because|decision|decided|so that|therefore|cause|must|never|instead)\b/i;
const LEAST_WORDS = 6;

function notesOnAgent(said: string, calls: readonly string[]): readonly string[] {
  // An earlier summary, which is in the conversation as the agent's text: its notes are known already.
  if (textsOf(said.split("\n"), "Goal").length > 0) return [];
  const sentences = sentencesOf(said);
  const decided = sentences.filter((sentence) => DECISION.test(sentence) && sentence.split(" ").length >= LEAST_WORDS);
  const last = [...linesOf(said), ...calls.map((call) => `[${call}]`)].slice(-1);
  return [...notesOf("Decided", decided), ...notesOf("Said", sentences), ...notesOf("Stopped", last)];
}

const MAX_ERRORS = 3;
const ERROR_LINE = /\b(?:[A-Z]\w*Error|Exception|panic|fatal)\b|\bNaN\b/;
const OUTCOME_LINE = /\b(?:passed|failed|errors?|matches|changed)\b/;

/** Notes on the output of a call; `call` is the tool's name and its input as JSON, which may be cut off. */
function notesOnOutput(call: string, output: string, isError: boolean): readonly string[] {
  const path = inputOf(call, "path");
  const command = inputOf(call, "command") ?? `${call.split(" ")[0]} ${path ?? inputOf(call, "pattern") ?? ""}`.trim();
  if (isError) return notesOf("Error", [`${command}: ${output}`]);
  if (path !== undefined) {
    const [written] = linesOf(inputOf(call, "new_text") ?? inputOf(call, "content") ?? "");
    return notesOf("File", [written === undefined ? command : `${command}: ${written}`]);
  }
  const lines = linesOf(output);
  const ending = lines.findLast((line) => line.length < 200 && OUTCOME_LINE.test(line)) ?? lines.at(-1) ?? "nothing";
  const errors = new Set(lines.filter((line) => ERROR_LINE.test(line)).map((line) => `${command}: ${line}`));
  const ran = `${command} → ${lines.length <= 2 ? lines.join("; ") : ending}`;
  return [...notesOf("Ran", [ran]), ...notesOf("Error", [...errors].slice(0, MAX_ERRORS))];
}

/** The value of a text field in a call's input, whose JSON may be cut off; undefined if it has no such field. */
function inputOf(call: string, field: string): string | undefined {
  const [, json] = new RegExp(`"${field}":"((?:[^"\\\\]|\\\\.)*)`).exec(call) ?? [];
  try {
    return json === undefined ? undefined : String(parseJson(`"${json}"`));
  } catch {
    return json;
  }
}

const MAX_CHARACTERS = 240;

function notesOf(label: Label, texts: readonly string[]): readonly string[] {
  return texts.map((text) => {
    const line = text.replaceAll(/\s+/g, " ").replace(/^- /, "").trim();
    // The person's words are never cut.
    const isWhole = label === "Person" || line.length <= MAX_CHARACTERS;
    return `- ${label}: ${isWhole ? line : `${line.slice(0, cutBefore(line, MAX_CHARACTERS))}…`}`;
  });
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => line.trim() || []);
}

function sentencesOf(text: string): readonly string[] {
  return linesOf(text).flatMap((line) => line.split(/(?<=[.!?。])\s+/));
}
