import type { ModelRequest } from "../../../src/testing/index.ts";
import { EXCHANGE_HEADER, type RecordedExchange } from "../start-recorder.ts";
import { type ScriptedStep, stepCalls } from "../step-calls.ts";
import { type ProjectFile, type ProjectFolder, SKILL_NAME } from "./project-folder.ts";

/** One request of an agent's work, as it sent it and as the model server received it. */
export interface StandingTurn {
  readonly exchange: RecordedExchange;
  readonly received: ModelRequest;
  /** The files whose contents are its newest results. */
  readonly newest: readonly ProjectFile[];
  /** How many requests of the work lie between the charter being read once more and this one; undefined for more than one. */
  readonly requestsSinceReread: 0 | 1 | undefined;
}

export interface StandingScript {
  /** In order; what the agent asked beside its work is not in it. */
  readonly turns: readonly StandingTurn[];
  next(request: ModelRequest): readonly ScriptedStep[];
}

export interface StandingScriptOptions {
  readonly project: ProjectFolder;
  readonly exchanges: readonly RecordedExchange[];
  /** Whether a skill is loaded, sub-folders are visited and a plan is made before the notes are read. */
  readonly hasOpening: boolean;
  readonly notesAtOnce: number;
  /** The work ends a few requests after the view was folded as often, or when as many notes were read. */
  readonly foldings: number;
  readonly maxNotes: number;
  /** Whether notes are read by the tool that reads files, where a mode forbids commands. */
  readonly isReading: boolean;
  /** How many notes are read when the work is ended for the first time; what is asked after that goes on with it. */
  readonly pauseAfterNotes: number | undefined;
}

export const PLAN_ITEMS = [1, 2, 3, 4, 5, 6].map((n) => `Paint buoy puffin-${n} before the tide.`);

/** Tools that the model asks for where it knows them by name alone. */
const FOUND_TOOLS = ["WebFetch", "NotebookEdit", "TaskCreate", "web_fetch", "monitor"];

/** After the last fold: what is done again, and the notes that come after it. */
const REQUESTS_AT_THE_END = 3;

/** Work in a project: what binds is loaded first, then notes are read until enough was folded. */
export function standingScript(options: StandingScriptOptions): StandingScript {
  const { project, exchanges, notesAtOnce, foldings, maxNotes, isReading, hasOpening, pauseAfterNotes } = options;
  const turns: StandingTurn[] = [];
  const skill: ScriptedStep = { type: "skill", name: SKILL_NAME };
  const reread: ScriptedStep = { type: "read", path: project.charter.path };
  /** What is to be done before any other note is read. */
  const due: ScriptedStep[] = hasOpening ? openingOf(project) : [];
  /** What is done again after the first fold, and at the end. */
  const repeated: ScriptedStep[][] = hasOpening ? [[reread, skill], [reread]] : [];
  /** How many requests there were when the charter was read again. */
  const rereads: number[] = [];
  let notes = 0;
  let newest: readonly ProjectFile[] = [];
  let requestsLeft = Number.POSITIVE_INFINITY;
  let isPauseDue = pauseAfterNotes !== undefined;

  function nextNotes(): readonly ScriptedStep[] {
    newest = Array.from({ length: notesAtOnce }, (_, index) => project.note(notes + index + 1));
    notes += notesAtOnce;
    return newest.map(({ name, path }) => (isReading ? { type: "read", path } : `cat ${name} && sleep 0.1`));
  }

  function nextDue(request: ModelRequest): ScriptedStep | undefined {
    for (let step = due.shift(); step !== undefined; step = due.shift()) {
      if (stepCalls(request, step).length === 0) continue;
      if (step === reread) rereads.push(turns.length);
      return step;
    }
    return undefined;
  }

  function decide(request: ModelRequest): readonly ScriptedStep[] {
    newest = [];
    const opening = nextDue(request);
    if (opening !== undefined) return [opening];
    if (isPauseDue && notes === pauseAfterNotes) {
      isPauseDue = false;
      return [];
    }
    const made = countFoldings(turns);
    const isEnding = made >= foldings || notes >= maxNotes;
    if (isEnding) requestsLeft = Math.min(requestsLeft, REQUESTS_AT_THE_END) - 1;
    if (requestsLeft < 0) return [];
    if (repeated.length === 2 ? made > 0 || isEnding : isEnding) due.push(...(repeated.shift() ?? []));
    const again = nextDue(request);
    return again === undefined ? nextNotes() : [again];
  }

  return {
    turns,
    next(request) {
      const exchange = exchanges[Number(request.headers[EXCHANGE_HEADER])];
      if (exchange === undefined) throw new Error("The request did not come by way of the recorder.");
      const isJustReread = rereads.includes(turns.length);
      const requestsSinceReread = isJustReread ? 0 : rereads.includes(turns.length - 1) ? 1 : undefined;
      turns.push({ exchange, received: request, newest, requestsSinceReread });
      return decide(request);
    },
  };
}

function openingOf({ charter, nestedFiles }: ProjectFolder): ScriptedStep[] {
  return [
    { type: "find-tools", names: FOUND_TOOLS },
    { type: "skill", name: SKILL_NAME },
    { type: "read", path: charter.path },
    ...nestedFiles.map((path) => ({ type: "read", path }) as const),
    { type: "plan", items: PLAN_ITEMS },
  ];
}

/** How often something was folded: several folds that are made for one request change it once. */
export function countFoldings(turns: readonly StandingTurn[]): number {
  return turns.filter((turn, index) => {
    const before = turns[index - 1];
    return foldCountOf(turn) > (before === undefined ? 0 : foldCountOf(before));
  }).length;
}

/** How many folds are in what was sent. */
function foldCountOf({ exchange }: StandingTurn): number {
  return Number(exchange.replyHeaders["x-palimpsest-folds"] ?? 0);
}
