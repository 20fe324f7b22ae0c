import { parseJson } from "../../../core/json/parse-json.ts";
import { cutBefore } from "../../../core/text/clip-cut.ts";
import type { Label, Note } from "./note.ts";
import type { CondensingRequest, RequestTurn, ToolOutput } from "./read-request.ts";

/** Notes on a conversation by fixed rules: words of the person, decisions, files, commands, errors, and the last step. */
export function takeNotes({ turns }: CondensingRequest): readonly Note[] {
  return turns.flatMap(notesOn);
}

function notesOn(turn: RequestTurn): readonly Note[] {
  switch (turn.type) {
    case "person": {
      const sentences = sentencesOf(turn.text);
      const goal = sentences.find((sentence) => /\bplease\b/i.test(sentence)) ?? sentences[0];
      return [
        ...(goal === undefined ? [] : [note("Goal", goal)]),
        ...linesOf(turn.text).map((line) => note("Person", `"${line}"`)),
      ];
    }
    case "agent": {
      const sentences = sentencesOf(turn.text);
      const last = [...linesOf(turn.text), ...turn.calls.map((call) => `[${call}]`)].at(-1);
      return [
        ...sentences.filter(isDecision).map((sentence) => note("Decided", sentence)),
        ...sentences.map((sentence) => note("Said", sentence)),
        ...(last === undefined ? [] : [note("Stopped", last)]),
      ];
    }
    case "tools":
      return turn.outputs.flatMap(notesOnOutput);
  }
}

const DECISION = /\b(?:because|decision|decided|so that|therefore|cause|must|never|instead)\b/i;
const LEAST_WORDS = 6;

function isDecision(sentence: string): boolean {
  return DECISION.test(sentence) && sentence.split(" ").length >= LEAST_WORDS;
}

/** By what tools are usually called. */
const FILE_LABELS: readonly (readonly [RegExp, Label])[] = [
  [/^(?:write|create)/, "CREATED"],
  [/^(?:edit|replace|apply)/, "MODIFIED"],
  [/^(?:read|view|open)/, "READ"],
];

function notesOnOutput({ tool, call, text, isError }: ToolOutput): readonly Note[] {
  if (isError) return [note("Error", `${commandOf(call)}: ${text}`)];
  const [, label] = FILE_LABELS.find(([name]) => name.test(tool)) ?? [];
  const path = inputOf(call, "path");
  if (label !== undefined && path !== undefined) return [note(label, [path, ...firstLineWritten(call)].join(": "))];
  const errors = linesOf(text).filter((line) => ERROR_LINE.test(line));
  return [
    note("Ran", `${commandOf(call)} → ${outcomeOf(text)}`),
    ...[...new Set(errors)].slice(0, MAX_ERRORS).map((line) => note("Error", `${commandOf(call)}: ${line}`)),
  ];
}

const MAX_ERRORS = 3;
const ERROR_LINE = /\b(?:[A-Z]\w*Error|Exception|panic|fatal)\b|\bNaN\b/;
const OUTCOME_LINE = /\b(?:passed|failed|errors?|matches|changed)\b/;

/** The line that tells how a command ended: one that speaks of success or failure, else the last. */
function outcomeOf(output: string): string {
  const lines = linesOf(output);
  if (lines.length <= 2) return lines.join("; ");
  return lines.findLast((line) => line.length < 200 && OUTCOME_LINE.test(line)) ?? lines.at(-1) ?? "nothing";
}

function firstLineWritten(call: string): readonly string[] {
  return linesOf(inputOf(call, "new_text") ?? inputOf(call, "content") ?? "").slice(0, 1);
}

/** A command as it was run, or what another tool was asked. */
function commandOf(call: string): string {
  const [tool = ""] = call.split(" ");
  return inputOf(call, "command") ?? `${tool} ${inputOf(call, "pattern") ?? inputOf(call, "path") ?? ""}`.trim();
}

/** One text of a call's input, read from JSON that may have been shortened. */
function inputOf(call: string, field: string): string | undefined {
  const [, json] = new RegExp(`"${field}":"((?:[^"\\\\]|\\\\.)*)`).exec(call) ?? [];
  if (json === undefined) return undefined;
  try {
    return String(parseJson(`"${json}"`));
  } catch {
    return json;
  }
}

const MAX_CHARACTERS = 240;

function note(label: Label, text: string): Note {
  const line = text.replaceAll(/\s+/g, " ").replace(/^- /, "").trim();
  // The words of the person are never shortened.
  const isWhole = label === "Person" || line.length <= MAX_CHARACTERS;
  return { label, text: isWhole ? line : `${line.slice(0, cutBefore(line, MAX_CHARACTERS))}…` };
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

function sentencesOf(text: string): readonly string[] {
  return linesOf(text).flatMap((line) => line.split(/(?<=[.!?。])\s+/));
}
