import { identifyText, isEvent } from "./identify-text.ts";
import type { FoundPart, StandingKind, TextSpan } from "./standing-part.ts";

/** A part of a text that an agent injected, with its span. */
export type InjectedPart = Omit<FoundPart, "blockIndex" | "span"> & { readonly span: TextSpan };

/** What was found in a text that an agent may have added to. */
export interface InjectedText {
  /** Injected parts that bind, or end what bound. */
  readonly parts: readonly InjectedPart[];
  /** Everything that was injected, binding or not, in order. */
  readonly spans: readonly TextSpan[];
}

/** Elements that agents put around text that they inject, and its kind unless its words say otherwise. */
const ELEMENTS: Readonly<Record<string, StandingKind>> = {
  "system-reminder": "reminder",
  system_reminder: "reminder",
  environment_context: "reminder",
  recommended_plugins: "reminder",
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

/** The elements that count in a tool's result: the others may come from a file that was read. */
const RESULT_ELEMENTS: ReadonlySet<string> = new Set(
  "system-reminder system_reminder skill activated_skill skill_content skill-context functions".split(" "),
);

const OPENING = new RegExp(`<(${Object.keys(ELEMENTS).join("|")})(?=[\\s>])[^>]{0,400}>`, "g");

/** Sections between two lines of their own. */
const SECTION = /^--- (Context|Rule) from: (.{1,400}?) ---$/gm;

/** Texts that are injected as a whole, by how they begin. */
const OPENINGS: readonly (readonly [opening: RegExp, kind: StandingKind])[] = [
  [/^# AGENTS\.md instructions\b/, "instructions"],
  [/^Base directory for this skill: /, "skill"],
  // The state of an editor, and later its changes.
  [/^Here is (?:the|a summary of changes in the) user's editor context\b/, "reminder"],
];

/** A result with attached instructions that the agent itself cut in the middle, so that no section has its end. */
const MASKED = /^<tool_output_masked>[\s\S]*--- (?:Context|Rule) from: /;
const MASKED_INSTRUCTIONS = [MASKED, "instructions"] as const;

/** Whether a text is the user's, or from a tool's result. */
export type TextPlace = "said" | "returned";

/** Finds what agents injected into a text of the user's or of a tool's result, in linear time. */
export function readInjectedText(text: string, place: TextPlace): InjectedText {
  const start = text.length - text.trimStart().length;
  const opening =
    OPENINGS.find(([pattern]) => pattern.test(text.slice(start, start + 200))) ??
    (place === "returned" && MASKED.test(text.slice(start, start + 2_000)) ? MASKED_INSTRUCTIONS : undefined);
  if (opening !== undefined) {
    const whole = { start: 0, end: text.length };
    return { parts: partsOf(text, whole, opening[1]), spans: [whole] };
  }
  const spans = place === "returned" ? [...elementsIn(text, place), ...sectionsIn(text)] : elementsIn(text, place);
  return {
    parts: spans.flatMap(({ span, kind }) => partsOf(text.slice(span.start, span.end), span, kind)),
    spans: spans.map(({ span }) => span),
  };
}

/** A user's text without what agents injected into it. */
export function withoutInjected(text: string): string {
  return outsideOf(text, readInjectedText(text, "said").spans);
}

/** A text without these spans, which are in order. */
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

/** The outermost elements that open a line and are closed. */
function elementsIn(text: string, place: TextPlace): readonly FoundSpan[] {
  const found: FoundSpan[] = [];
  /** Names that are not closed any more: to search the rest of the text for each of their openings would take quadratic time. */
  const unclosed = new Set<string>();
  let from = 0;
  for (const match of text.matchAll(OPENING)) {
    const [tag, name = ""] = match;
    const { index: start } = match;
    if (start < from || !opensLine(text, start) || (place === "returned" && !RESULT_ELEMENTS.has(name))) continue;
    if (unclosed.has(name)) continue;
    const closing = text.indexOf(`</${name}>`, start + tag.length);
    if (closing < 0) {
      unclosed.add(name);
      continue;
    }
    from = closing + name.length + 3;
    found.push({ span: { start, end: from }, kind: ELEMENTS[name] ?? "reminder" });
  }
  return found;
}

/** Whether only white space is between a position and the beginning of its line, or a tag before it. */
function opensLine(text: string, position: number): boolean {
  const before = text.slice(Math.max(0, position - 40), position);
  const spoken = before.trimEnd();
  return position === 0 || spoken.endsWith(">") || before.includes("\n", spoken.length);
}

/** No agent leaves that many sections unclosed. Each one is searched to the end of the text, so without a limit the time would be quadratic. */
const MOST_UNCLOSED_SECTIONS = 100;

function sectionsIn(text: string): readonly FoundSpan[] {
  const found: FoundSpan[] = [];
  let from = 0;
  let unclosed = 0;
  for (const { 0: line, 1: word, 2: path, index: start } of text.matchAll(SECTION)) {
    const ending = `--- End of ${word} from: ${path} ---`;
    if (start < from) continue;
    const at = text.indexOf(ending, start + line.length);
    if (at < 0) {
      unclosed += 1;
      if (unclosed >= MOST_UNCLOSED_SECTIONS) break;
      continue;
    }
    from = at + ending.length;
    found.push({ span: { start, end: from }, kind: "instructions" });
  }
  return found;
}

function partsOf(text: string, span: TextSpan, kind: StandingKind): readonly InjectedPart[] {
  if (isEvent(text)) return [];
  return [{ ...identifyText(text, kind), span, text: text.trim() }];
}
