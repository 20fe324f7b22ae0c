import { isObject } from "../offered-tools.ts";
import type { ProjectFolder } from "./project-folder.ts";
import { countFoldings, PLAN_ITEMS, type StandingTurn } from "./standing-script.ts";

/** Something that binds an agent, or that its newest request points at: its model must see it. */
export interface StandingItem {
  readonly name: StandingItemName;
  /** The lines of it that this request of the agent's says. */
  saidIn(request: SaidRequest): readonly string[];
  /** Whether its middle may be hidden by a clip that says so, as it is of lists and reminders (docs/decisions/0047). @default false */
  readonly mayBeClipped?: boolean;
  /** Whether a condensation that says so may hide the results that say it, as it may all that were answered already. @default never */
  mayBeCondensed?(request: SaidRequest): boolean;
}

export const STANDING_ITEM_NAMES = [
  "task and its rules",
  "newest request",
  "guide to the project",
  "opening reminders",
  "loaded skill",
  "guides in sub-folders",
  "listing of skills",
  "listing of agent types",
  "plan",
  "system messages",
  "found tools",
  "plan mode",
  "newest result",
  "file that was read again",
  "file behind a pointer",
] as const;

export type StandingItemName = (typeof STANDING_ITEM_NAMES)[number];

/** A request of an agent's work, read for comparison. */
export interface SaidRequest {
  readonly turn: StandingTurn;
  /** All text in it, as the agent sent it. */
  readonly agentText: string;
  /** All text in it, as the model server received it. */
  readonly receivedText: string;
  /** How often something was folded until then. */
  readonly foldings: number;
}

/** How many lines of an item were said, and how many of those were visible. */
export interface Sighting {
  readonly said: number;
  readonly visible: number;
  /** Not visible, but in the middle of a text whose head and tail are, with the fold that hides the rest. */
  readonly clipped: number;
  /** Not visible, and in no result that the view shows: the whole result is hidden by a condensation that the view names. */
  readonly condensed: number;
}

export const PROMPT_LINES = [
  "Read every note in this project, one after the other, and tell me when you are done.",
  "Never touch the file lantern.txt.",
  "Always answer in English.",
];

/** What the person says when the agent is continued. */
export const NEXT_PROMPT_LINES = [
  "Now read the rest of the notes in the same way.",
  "Whatever you find, leave the crates of depot zero where they are.",
];

export function standingItems(project: ProjectFolder, planMarker: RegExp | undefined): readonly StandingItem[] {
  const lines = (name: StandingItemName, all: readonly string[]): StandingItem => ({
    name,
    saidIn: ({ agentText }) => all.filter((line) => agentText.includes(line)),
  });
  return [
    lines("task and its rules", PROMPT_LINES),
    lines("newest request", NEXT_PROMPT_LINES),
    lines("guide to the project", project.guide),
    {
      name: "opening reminders",
      saidIn: ({ turn }) => openingReminders(JSON.parse(turn.exchange.body)),
      mayBeClipped: true,
    },
    lines("loaded skill", project.skill),
    lines("guides in sub-folders", project.nestedGuides),
    { ...lines("listing of skills", project.skillListing), mayBeClipped: true },
    lines("listing of agent types", project.agentTypes),
    lines("plan", PLAN_ITEMS),
    { name: "system messages", saidIn: ({ turn }) => systemLines(JSON.parse(turn.exchange.body)) },
    { name: "found tools", saidIn: ({ turn }) => foundTools(JSON.parse(turn.exchange.body)) },
    { name: "plan mode", saidIn: ({ turn }) => markedLines(JSON.parse(turn.exchange.body), planMarker) },
    {
      name: "newest result",
      saidIn: ({ turn: { newest }, agentText }) =>
        newest.flatMap((file) => file.lines).filter((line) => agentText.includes(line)),
    },
    {
      name: "file that was read again",
      saidIn: ({ turn: { requestsSinceReread }, agentText }) =>
        requestsSinceReread === undefined ? [] : project.charter.lines.filter((line) => agentText.includes(line)),
      mayBeCondensed: ({ turn: { requestsSinceReread } }) => requestsSinceReread !== 0,
    },
    {
      name: "file behind a pointer",
      saidIn: ({ turn: { received }, agentText }) =>
        pointsBack(received.body) ? project.charter.lines.filter((line) => agentText.includes(line)) : [],
    },
  ];
}

export function readTurns(turns: readonly StandingTurn[]): readonly SaidRequest[] {
  return turns.map((turn, index) => ({
    turn,
    agentText: textOf(JSON.parse(turn.exchange.body)),
    receivedText: [textOf(turn.received.body), ...declaredTools(turn.received.body)].join("\n"),
    foldings: countFoldings(turns.slice(0, index + 1)),
  }));
}

/** How much of what one request says is visible in what the server received, of the same request or of a later one. */
export function sight(item: StandingItem, said: SaidRequest, seen = said): Sighting {
  const lines = item.saidIn(said);
  const hidden = lines.filter((line) => !seen.receivedText.includes(line));
  const clippedParts = hidden.length === 0 || item.mayBeClipped !== true ? "" : clippedText(said, seen);
  const clipped = hidden.filter((line) => clippedParts.includes(line)).length;
  const isCondensed = hidden.length > 0 && item.mayBeCondensed?.(said) === true && hasNoResultOf(lines, seen);
  const condensed = isCondensed ? hidden.length - clipped : 0;
  return { said: lines.length, visible: lines.length - hidden.length, clipped, condensed };
}

/** What a view says of the messages that a condensation hides. */
const CONDENSATION_MARK = /^\[\d[\d,]* earlier messages?: \d[\d,]* tokens hidden in fold condense-\w+\]$/m;

/** Whether the view names a condensation, and none of its results has any of these lines or leads to them. */
function hasNoResultOf(lines: readonly string[], { turn: { received } }: SaidRequest): boolean {
  const messages = messagesOf(received.body);
  const results = textOf(resultsOf(messages));
  const isNamed = CONDENSATION_MARK.test(textOf(messages));
  return isNamed && !pointsBack(received.body) && !lines.some((line) => results.includes(line));
}

/** What stands between head and tail of a text that is clipped. */
const CLIP_MARK = /…?\[\d[\d,]* tokens hidden in fold clip-\w+\](?:\n|…)?/;

/** The lines that clips hide, each one that they cut through among them. */
function clippedText({ turn: { exchange } }: SaidRequest, { turn: { received } }: SaidRequest): string {
  const saidTexts = textsOf(messagesOf(JSON.parse(exchange.body)));
  const shownTexts = textsOf(messagesOf(received.body));
  const hidden = shownTexts.flatMap((shown) => {
    const [head = "", tail, ...others] = shown.split(CLIP_MARK);
    if (tail === undefined || others.length > 0) return [];
    const whole = saidTexts.find((text) => text.startsWith(head) && text.endsWith(tail));
    if (whole === undefined) return [];
    return [whole.slice(head.lastIndexOf("\n") + 1, endOfLine(whole, whole.length - tail.length))];
  });
  return hidden.join("\n");
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** Where the least of it was visible; undefined where none of the requests says anything of it. */
export function leastSighting(item: StandingItem, requests: readonly SaidRequest[]): Sighting | undefined {
  const sightings = requests.map((request) => sight(item, request)).filter(({ said }) => said > 0);
  const byVisible = sightings.toSorted((one, other) => one.visible / one.said - other.visible / other.said);
  // What is hidden without a word counts for more than what a fold hides that the view names.
  return byVisible.toSorted((one, other) => accountedFor(one) / one.said - accountedFor(other) / other.said)[0];
}

/** The lines that are visible, or hidden by a fold that may hide them and that the view names. */
export function accountedFor({ visible, clipped, condensed }: Sighting): number {
  return visible + clipped + condensed;
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (isObject(value) && value.type === "tool_reference") return [referenceText(value)];
  return partsOf(value).flatMap(textsOf);
}

function textOf(value: unknown): string {
  return textsOf(value).join("\n");
}

function referenceText(block: Readonly<Record<string, unknown>>): string {
  return `tool_reference ${String(block.tool_name)}.`;
}

/** As blocks that stand for a definition, or as definitions in the text of a result. */
function foundTools(body: unknown): readonly string[] {
  const told = linesOf(resultsOf(messagesOf(body))).filter((line) => line.startsWith("<function>{"));
  return [...toolReferences(body), ...told];
}

/** A tool whose definition is read from the start needs no block that stands for it. */
function declaredTools({ tools }: Readonly<Record<string, unknown>>): readonly string[] {
  const declared: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return declared.flatMap((tool) =>
    isObject(tool) && tool.defer_loading !== true ? [referenceText({ tool_name: tool.name })] : [],
  );
}

function toolReferences(value: unknown): readonly string[] {
  if (isObject(value) && value.type === "tool_reference") return [referenceText(value)];
  return partsOf(value).flatMap(toolReferences);
}

function partsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

/** All four APIs have their list of messages in one of these places. */
function messagesOf(body: unknown): readonly unknown[] {
  if (!isObject(body)) return [];
  return [body.messages, body.input, body.contents].find(Array.isArray) ?? [];
}

/** What an agent tells the model beside the person's words before its first reply: surroundings, tools, skills, rules. */
function openingReminders(body: unknown): readonly string[] {
  const messages = messagesOf(body);
  const firstReply = messages.findIndex((message) => isObject(message) && isReply(message));
  const opening = firstReply === -1 ? messages : messages.slice(0, firstReply);
  return linesOf(textsOf(opening).filter((text) => text.startsWith("<system-reminder>")));
}

function isReply({ role, type }: Readonly<Record<string, unknown>>): boolean {
  if (role === "assistant" || role === "model") return true;
  return role === undefined && type !== "message" && type !== "additional_tools";
}

/** Of the messages in the list that are neither the person's nor the model's. */
function systemLines(body: unknown): readonly string[] {
  const isSystem = (message: unknown) =>
    isObject(message) && (message.role === "system" || message.role === "developer");
  return linesOf(messagesOf(body).filter(isSystem));
}

/** Of the texts that hold the marker, wherever they are but in the definitions of tools. */
function markedLines(body: unknown, marker: RegExp | undefined): readonly string[] {
  if (marker === undefined || !isObject(body)) return [];
  const { tools, ...others } = body;
  return linesOf(textsOf(others).filter((text) => marker.test(text)));
}

/** How agents answer a second read of a file. */
const POINTER = /unchanged since (your )?last read/i;

/** Whether a result that is shown leads to an earlier one. */
function pointsBack(body: unknown): boolean {
  return resultsOf(messagesOf(body)).some((result) => textsOf(result).some((text) => POINTER.test(text)));
}

/** The results of tools, as each of the four APIs writes them. */
function resultsOf(value: unknown): readonly unknown[] {
  if (isObject(value)) {
    if (value.type === "tool_result" || value.type === "function_call_output" || value.role === "tool") return [value];
    if (value.functionResponse !== undefined) return [value];
  }
  return partsOf(value).flatMap(resultsOf);
}

/** What an agent says anew with each request does not bind; nor do the date and a listing of files. */
const VOLATILE = /total_tokens|^<\/?system-reminder>$|\bdate\b|[├└]──/;

function linesOf(value: unknown): readonly string[] {
  const lines = textOf(value).split("\n");
  return [...new Set(lines.map((line) => line.trim()))].filter((line) => line.length > 0 && !VOLATILE.test(line));
}
