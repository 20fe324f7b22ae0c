import type { FoundPart, StandingKind, TextSpan } from "./standing-part.ts";

/** What an agent put into a text, and where. */
export type InjectedPart = Omit<FoundPart, "blockIndex" | "span"> & { readonly span: TextSpan };

/** A text, taken apart. */
export interface InjectedText {
  /** What binds, or ends what bound. */
  readonly parts: readonly InjectedPart[];
  /** All that a program put in, binding or not, in order. */
  readonly spans: readonly TextSpan[];
}

/** Elements that agents put around what they add, and what it is where its words tell nothing else. */
const ELEMENTS: Readonly<Record<string, StandingKind>> = {
  "system-reminder": "reminder",
  system_reminder: "reminder",
  environment_context: "reminder",
  session_context: "instructions",
  user_instructions: "instructions",
  INSTRUCTIONS: "instructions",
  project_context: "instructions",
  loaded_context: "instructions",
  custom_instructions: "instructions",
  skill: "skill",
  activated_skill: "skill",
  skill_content: "skill",
  "skill-context": "skill",
  skills_instructions: "reminder",
  "permissions instructions": "mode",
  collaboration_mode: "mode",
  mode_changed_notice: "mode",
  plan_mode: "mode",
  "command-name": "command",
  "command-message": "command",
  "command-args": "command",
  "local-command-caveat": "reminder",
  functions: "declaration",
};

/** A file that a tool read may hold any of the others. */
const RESULT_ELEMENTS: ReadonlySet<string> = new Set(
  "system-reminder system_reminder skill activated_skill skill_content skill-context functions".split(" "),
);

const OPENING = new RegExp(`<(${Object.keys(ELEMENTS).join("|")})(?=[\\s>])[^>]{0,400}>`, "g");

/** Sections between two lines of their own. */
const SECTION = /^--- (Context|Rule) from: (.{1,400}?) ---$/gm;

/** Texts that bind as a whole, by how they begin. */
const OPENINGS: readonly (readonly [opening: RegExp, kind: StandingKind])[] = [
  [/^# AGENTS\.md instructions\b/, "instructions"],
  [/^Base directory for this skill: /, "skill"],
  // Of an editor: all of it, and later what changed since.
  [/^Here is (?:the|a summary of changes in the) user's editor context\b/, "reminder"],
];

/** What an agent itself left of a result that instructions were attached to: cut in the middle, so that no section ends. */
const MASKED = /^<tool_output_masked>[\s\S]*--- (?:Context|Rule) from: /;
const MASKED_INSTRUCTIONS = [MASKED, "instructions"] as const;

export type TextPlace = "said" | "returned" | "system";

/** Finds what agents put into a text that is said under the user's name, or returned by a tool. Linear. */
export function readInjectedText(text: string, place: TextPlace): InjectedText {
  const start = text.length - text.trimStart().length;
  const opening =
    OPENINGS.find(([pattern]) => pattern.test(text.slice(start, start + 200))) ??
    (place === "returned" && MASKED.test(text.slice(start, start + 2_000)) ? MASKED_INSTRUCTIONS : undefined);
  if (opening !== undefined) {
    const whole = { start: 0, end: text.length };
    return { parts: partsOf(text, whole, opening[1]), spans: [whole] };
  }
  const found = place === "returned" ? [...elementsIn(text, place), ...sectionsIn(text)] : elementsIn(text, place);
  return {
    parts: found.flatMap(({ span, kind }) => partsOf(text.slice(span.start, span.end), span, kind)),
    spans: found.map(({ span }) => span),
  };
}

/** A text without what agents put into it. */
export function withoutInjected(text: string): string {
  return outsideOf(text, readInjectedText(text, "said").spans);
}

/** What of a text lies outside of these spans, which are in order. */
export function outsideOf(text: string, spans: readonly TextSpan[]): string {
  let [rest, at] = ["", 0];
  for (const { start, end } of spans) {
    rest += text.slice(at, start);
    at = end;
  }
  return at === 0 ? text : rest + text.slice(at);
}

interface FoundSpan {
  readonly span: TextSpan;
  readonly kind: StandingKind;
}

/** Outermost elements that open a line and are closed. */
function elementsIn(text: string, place: TextPlace): readonly FoundSpan[] {
  const found: FoundSpan[] = [];
  let from = 0;
  for (const match of text.matchAll(OPENING)) {
    const [tag, name = ""] = match;
    const { index: start } = match;
    if (start < from || !opensLine(text, start) || (place === "returned" && !RESULT_ELEMENTS.has(name))) continue;
    const closing = text.indexOf(`</${name}>`, start + tag.length);
    if (closing < 0) continue;
    from = closing + name.length + 3;
    found.push({ span: { start, end: from }, kind: ELEMENTS[name] ?? "reminder" });
  }
  return found;
}

/** Whether nothing but white space lies between a position and the line's beginning, or the tag before it. */
function opensLine(text: string, position: number): boolean {
  const before = text.slice(Math.max(0, position - 40), position);
  const spoken = before.trimEnd();
  return position === 0 || spoken.endsWith(">") || before.includes("\n", spoken.length);
}

function sectionsIn(text: string): readonly FoundSpan[] {
  const found: FoundSpan[] = [];
  let from = 0;
  for (const { 0: line, 1: word, 2: path, index: start } of text.matchAll(SECTION)) {
    const ending = `--- End of ${word} from: ${path} ---`;
    const at = start < from ? -1 : text.indexOf(ending, start + line.length);
    if (at < 0) continue;
    from = at + ending.length;
    found.push({ span: { start, end: from }, kind: "instructions" });
  }
  return found;
}

function partsOf(text: string, span: TextSpan, kind: StandingKind): readonly InjectedPart[] {
  if (isEvent(text)) return [];
  return [{ ...nameOf(text, kind), span, text: text.trim() }];
}

/** What was only true when it was said: how much is left, what changed on disk, what was not done for a while. */
const EVENTS: readonly RegExp[] = [
  /^<total_tokens>/,
  /^(?:token usage|usd budget|output tokens)\b/i,
  /\btools? (?:has|have)n't been used recently/i,
  /\bchanged on disk since you last read|\b(?:modified|changed), either by the user or by/i,
  /<new-diagnostics>|<todo_status>|<task-notification>|<tools-used-before-summary>/,
  /^the user (?:opened|selected|is viewing|has opened) /i,
  /^<local-command-(?:stdout|stderr|caveat)>/,
  /^caveat: the messages below were generated by the user while running local commands/i,
  /^background (?:agent|shell|task) /i,
];
/** Where the kind of a text shows. */
const TELLING_LENGTH = 600;

/** Whether a text says nothing that still holds later. */
export function isEvent(text: string): boolean {
  const inner = innerText(text).slice(0, TELLING_LENGTH);
  return EVENTS.some((event) => event.test(inner));
}

type Named = Pick<FoundPart, "kind" | "key" | "effect">;

function nameOf(text: string, kind: StandingKind): Named {
  const inner = innerText(text);
  const beginning = inner.slice(0, TELLING_LENGTH);
  const binding = (named: StandingKind, key: string): Named => ({
    kind: named,
    key: `${named}:${key}`,
    effect: "binds",
  });
  if (kind === "skill") return binding(kind, skillName(text));
  if (kind === "command") return binding(kind, beginning.slice(0, 100));
  if (kind === "declaration") return binding(kind, declaredNames(text));
  if (USER_SAID.test(beginning)) return binding("request", inner);
  const paths = instructionPaths(inner);
  if (paths.length > 0) return binding("instructions", paths.join(" "));
  const mode = modeIn(beginning);
  if (mode !== undefined) return mode;
  if (PLAN_STATE.test(beginning)) return binding("plan", "state");
  if (DELTA.test(beginning)) return binding(kind, withoutNumbers(inner));
  const tag = tagOf(text);
  // An element of its own says what it is; a reminder may be of anything.
  return binding(kind, REMINDERS.has(tag) ? templateOf(beginning) : tag);
}

const REMINDERS: ReadonlySet<string> = new Set(["system-reminder", "system_reminder", ""]);

/** What a person said while the agent worked. */
const USER_SAID = /^the user sent (?:a new message|the following message|a message) /i;

/** Lists that add to those before them, or take from them. */
const DELTA =
  /\b(?:also|no longer|again) available\b|\b(?:just|now) became available|became available after|^new (?:skills|agent types)|updated definitions/i;

function declaredNames(text: string): string {
  return (
    [...text.matchAll(/"name"\s*:\s*"([^"]{1,100})"[\s\S]{0,40}?"description"/g)].map(([, name]) => name).join(" ") ||
    text.slice(0, 200)
  );
}

const PLAN_STATE =
  /\b(?:contents of your todo list|your todo list has changed|current (?:todo|task) list|unfinished todo items)\b/i;

const INSTRUCTION_PATH =
  /(?:^|\n|\\n)(?:Contents of|Instructions from:|Custom instructions from|# AGENTS\.md instructions for|--- (?:Context|Rule) from:) ?([^\n\\]{1,400})/g;

/** The files that a text quotes as instructions. */
function instructionPaths(text: string): readonly string[] {
  return [...text.matchAll(INSTRUCTION_PATH)].map(([, path = ""]) =>
    path.replace(/(?: \(.*|\. Apply .*|:| ---)$/s, "").trim(),
  );
}

const MODE_ENDS =
  /\bexited plan mode|\bplan mode is no longer active|\bno longer in (?:plan|read-only)|changed from plan to\b|\bplan approved\. switching/i;
const MODE_GOES_ON = /\bplan mode (?:is )?still active/i;
const MODE_BEGINS =
  /\bplan mode (?:is )?(?:now )?(?:active|enabled)|\bre-?entering plan mode|\bentered plan mode|# plan mode\b|<plan_mode>/i;

/** A mode that is entered, left, or said to go on. */
export function modeIn(text: string): Named | undefined {
  if (MODE_ENDS.test(text)) return { kind: "mode", key: PLAN_MODE, effect: "ends" };
  if (MODE_GOES_ON.test(text)) return { kind: "mode", key: PLAN_MODE, effect: "repeats" };
  return MODE_BEGINS.test(text) ? { kind: "mode", key: PLAN_MODE, effect: "binds" } : undefined;
}

export const PLAN_MODE = "mode:plan";

/** As the text itself names it, or the folder that it lies in. */
function skillName(text: string): string {
  const beginning = text.slice(0, 1_000);
  const attribute = /^\s*<[\w-]+\s[^>]*?name="([^"]{1,200})"/.exec(beginning)?.[1];
  const element = /<(?:skill_)?name>([^<]{1,200})<\//.exec(beginning)?.[1];
  const folder = /Base directory for this skill: ([^\n]{1,400})/
    .exec(beginning)?.[1]
    ?.split(/[\\/]/)
    .filter(Boolean)
    .at(-1);
  return (attribute ?? element ?? folder ?? templateOf(beginning)).trim();
}

function tagOf(text: string): string {
  return /^\s*<([^\s>]{1,60})/.exec(text)?.[1] ?? "";
}

/** A text without the element around it. */
function innerText(text: string): string {
  return text.replace(/^\s*<[^>]{1,400}>\s*/, "").trimStart();
}

/** The first words, as far as they are the same in each text of a kind. */
function templateOf(text: string): string {
  const [line = ""] = text.split("\n", 1);
  return ` ${withoutNumbers(line)
    .replace(/\S+/g, (word) => (/[\\/]/.test(word) ? "" : word))
    .slice(0, 60)
    .trim()
    .toLowerCase()}`;
}

/** Times, counts and sizes change from one copy of a text to the next. */
export function withoutNumbers(text: string): string {
  return text.trim().replace(/\d+/g, "#");
}
