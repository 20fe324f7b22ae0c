import { parseJson } from "../../core/json/parse-json.ts";
import type { Message } from "../../core/message/message.ts";
import { cutBefore } from "../../core/text/clip-cut.ts";

/** The kinds of notes that the scripted model takes, and how many of each it keeps: the newest, but of the goal the first. */
const MOST_NOTES = { Goal: 1, Person: 60, Decided: 24, File: 48, Ran: 16, Error: 12, Said: 3, Stopped: 1 };

type Label = keyof typeof MOST_NOTES;

/** A note is a line of the reply, "- Label: text". These are the texts of one kind. */
export function textsOf(notes: readonly string[], label: string): readonly string[] {
  const beginning = `- ${label}: `;
  return notes.flatMap((note) => (note.startsWith(beginning) ? [note.slice(beginning.length)] : []));
}

/** Each note once, and no more of a kind than its share: the newest of them. */
export function keepNotes(notes: readonly string[], share: number): readonly string[] {
  const unique = new Set<string>();
  for (const note of notes) {
    // What was said stays where it was said first; a file or a command counts as of its last use.
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
/** What was put into the conversation by others than its speakers: folds, gaps, images. */
const STAND_IN_LINE = /^\[.*\]$/gm;

/** Notes on a condensing request by fixed rules: what an earlier summary holds, then the conversation, which comes as text. */
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
  // A summary that stays visible stands in the conversation as the agent's words: there is nothing new in it.
  if (textsOf(said.split("\n"), "Goal").length > 0) return [];
  const sentences = sentencesOf(said);
  const decided = sentences.filter((each) => DECISION.test(each) && each.split(" ").length >= LEAST_WORDS);
  const last = [...linesOf(said), ...calls.map((call) => `[${call}]`)].slice(-1);
  return [...notesOf("Decided", decided), ...notesOf("Said", sentences), ...notesOf("Stopped", last)];
}

const MAX_ERRORS = 3;
const ERROR_LINE = /\b(?:[A-Z]\w*Error|Exception|panic|fatal)\b|\bNaN\b/;
const OUTCOME_LINE = /\b(?:passed|failed|errors?|matches|changed)\b/;

/** A call is the tool's name and its input as JSON, which may be shortened. */
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

/** One text of a call's input, read from JSON that may have been shortened. */
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
    // The words of the person are never shortened.
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
