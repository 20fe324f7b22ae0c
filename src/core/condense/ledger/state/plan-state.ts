import { entriesOf } from "../../../tool-calls/stand-in-call.ts";
import { LINE_END } from "../cut-lines.ts";
import type { LogBlock } from "../log-blocks.ts";

interface Step {
  readonly name: string;
  readonly isDone: boolean;
}

const NAMES = ["content", "step", "task", "title", "description", "text", "subject"];
const DONE = /^(?:completed?|done|finished|closed|cancell?ed)$/i;
const CHECKBOX = /^\s{0,12}(?:[-*+]|\d{1,3}[.)])?\s{0,4}\[([ xX~/-])\]\s{1,4}(\S.{0,300})$/;
const MAX_DONE = 5;
const MAX_LEFT = 12;
const MAX_CHARACTERS = 120;
const MAX_DEPTH = 4;

/** Two lines about a plan: the steps that are done, and those that are left. */
export function planState({ call, number }: LogBlock): readonly { readonly text: string }[] {
  const steps = stepsIn(call?.input);
  const done = steps.filter(({ isDone }) => isDone);
  const left = steps.filter(({ isDone }) => !isDone);
  return [
    ...tell(`done m${number}`, done.slice(-MAX_DONE), done.length),
    ...tell(`left m${number}`, left.slice(0, MAX_LEFT), left.length),
  ];
}

function tell(label: string, steps: readonly Step[], count: number): readonly { readonly text: string }[] {
  if (steps.length === 0) return [];
  const more = count > steps.length ? `; and ${count - steps.length} more` : "";
  return [{ text: `${label}: ${steps.map(({ name }) => name).join("; ")}${more}` }];
}

/** The steps in a call's arguments: items with a status, or lines of a list with check boxes. */
function stepsIn(input: unknown, depth = 0): readonly Step[] {
  if (typeof input === "string") return input.split(LINE_END).flatMap(tickedStep);
  if (Array.isArray(input)) return input.flatMap((item: unknown) => stepOf(item) ?? stepsInside(item, depth));
  return stepsInside(input, depth);
}

function stepsInside(value: unknown, depth: number): readonly Step[] {
  if (depth >= MAX_DEPTH) return [];
  if (Array.isArray(value) || typeof value === "string") return stepsIn(value, depth + 1);
  if (typeof value !== "object" || value === null) return [];
  return entriesOf(value).flatMap(([, inner]) =>
    typeof inner === "object" || isList(inner) ? stepsIn(inner, depth + 1) : [],
  );
}

function isList(value: unknown): boolean {
  return typeof value === "string" && LINE_END.test(value);
}

function stepOf(item: unknown): Step | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const fields = new Map(entriesOf(item));
  const status = fields.get("status");
  const name = NAMES.map((field) => fields.get(field)).find((value) => typeof value === "string");
  if (typeof status !== "string" || typeof name !== "string") return undefined;
  return { name: oneLine(name), isDone: DONE.test(status) };
}

function tickedStep(line: string): readonly Step[] {
  const [, box = "", name = ""] = CHECKBOX.exec(line) ?? [];
  return name === "" ? [] : [{ name: oneLine(name), isDone: box === "x" || box === "X" }];
}

function oneLine(text: string): string {
  return (text.split(LINE_END, 1)[0] ?? "").trim().slice(0, MAX_CHARACTERS);
}
