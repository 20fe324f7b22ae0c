import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countPromptTokens, promptBlocks } from "../../../src/testing/model-server/prompt.ts";
import type { Agent } from "../agent.ts";
import { type AgentRig, openRig, type Seat } from "../agent-rig.ts";
import { findRipgrep } from "../find-ripgrep.ts";
import { installAgent } from "../install-agent.ts";
import type { AgentRun } from "../run-agent.ts";
import type { RecordedExchange } from "../start-recorder.ts";
import { isWorking } from "../step-calls.ts";
import { makeProject, SKILL_NAME } from "./project-folder.ts";
import {
  NEXT_PROMPT_LINES,
  PROMPT_LINES,
  readTurns,
  type SaidRequest,
  type StandingItem,
  standingItems,
} from "./standing-items.ts";
import { standingScript } from "./standing-script.ts";

/** What was captured while an agent worked in a project. */
export interface StandingRun {
  readonly items: readonly StandingItem[];
  /** In order; what the agent asked beside its work is not in it. */
  readonly requests: readonly SaidRequest[];
  /** The request before the agent summarised its history by itself and the one after; undefined where it did not. */
  readonly ownSummary: { readonly before: SaidRequest; readonly after: SaidRequest } | undefined;
  readonly run: AgentRun;
  /** What its first request takes: its instructions, its tools, what binds it, and the task. */
  readonly ownTokens: number;
  /** What became of requests that were not answered; those that are refused as the agent sent them are its own mistake. */
  readonly failures: readonly string[];
}

export interface StandingRunOptions {
  /** Of the model server; undefined where it has room for everything and no gateway is between. */
  readonly windowTokens: number | undefined;
  /** The work ends when the view was folded as often, or when as many notes were read. */
  readonly foldings: number;
  readonly maxNotes: number;
  readonly notesAtOnce?: number;
  readonly noteLines?: number;
  /** Of what the model says with each call; where it says much, results of tools alone do not make room. @default 0 */
  readonly remarkLines?: number;
  /** Whether a skill is loaded, sub-folders are visited and a plan is made first. @default true */
  readonly hasOpening?: boolean;
  readonly isPlanning?: boolean;
  /** How many notes the agent has read when it ends, and is continued with another request. @default it is not continued */
  readonly pauseAfterNotes?: number;
  /** Whether the agent is made to summarise its history by itself, where it can be. @default false */
  readonly isSummarised?: boolean;
  readonly skip: (reason: string) => never;
}

const EVERYTHING_TOKENS = 5_000_000;
/** About five thousand tokens. */
const NOTE_LINES = 250;
/** What an agent takes for the window where it is to summarise by itself. */
const SUMMARISED_TOKENS = 60_000;

export async function runStanding(agent: Agent, options: StandingRunOptions): Promise<StandingRun> {
  const { windowTokens, isPlanning = false, isSummarised = false, skip } = options;
  const { layout } = agent;
  if (layout === undefined) return skip("it is not known where it looks for what binds it");
  const installation = await installAgent(agent);
  if (installation.type === "missing") return skip(installation.reason);
  const { executable } = installation;
  const rig = await openRig({ contextWindow: windowTokens ?? EVERYTHING_TOKENS, isWindowTold: true });
  const isDirect = windowTokens === undefined;
  const programFolders = await findRipgrep();
  const seat = await rig.seat(agent, { executable, owner: "first", notes: 0, isDirect, programFolders });
  const project = makeProject(seat.path, layout, { noteLines: options.noteLines ?? NOTE_LINES });
  const { notesAtOnce = 1, hasOpening = true, maxNotes, foldings } = options;
  const { exchanges } = seat.recorder;
  const limits = { notesAtOnce, maxNotes, foldings, pauseAfterNotes: options.pauseAfterNotes };
  const script = standingScript({ project, exchanges, hasOpening, isReading: isPlanning, ...limits });
  const askedForSkill = hasOpening && layout.askForSkill ? [layout.askForSkill(SKILL_NAME)] : [];
  const prompt = [...PROMPT_LINES, ...askedForSkill].join("\n");
  const work = { prompt, next: script.next, isPlanning, remark: remarks(options.remarkLines ?? 0) };
  const believedWindowTokens = isSummarised ? SUMMARISED_TOKENS : EVERYTHING_TOKENS;
  let run = await seat.run({ ...work, believedWindowTokens });
  if (options.pauseAfterNotes !== undefined) {
    run = await seat.run({ ...work, believedWindowTokens, isContinued: true, prompt: NEXT_PROMPT_LINES.join("\n") });
  }
  const requests = readTurns(script.turns);
  const variants = {
    plan: isPlanning,
    summary: isSummarised,
    continued: options.pauseAfterNotes !== undefined,
    "without opening": !hasOpening && !isPlanning,
  };
  const kinds = Object.entries(variants).flatMap(([name, isMeant]) => (isMeant ? [name] : []));
  keepCaptures([agent.name, windowTokens ?? "direct", ...kinds].join(" "), requests);
  return {
    items: standingItems(project, isPlanning ? layout.planMarker : undefined),
    requests,
    ownSummary: findOwnSummary(requests),
    run,
    ownTokens: ownTokensOf(exchanges),
    failures: failuresOf(seat, rig),
  };
}

function ownTokensOf(exchanges: readonly RecordedExchange[]): number {
  const bodies = exchanges.filter(({ body }) => body !== "").map(({ body }) => JSON.parse(body));
  const first = bodies.find((body) => isWorking({ body }));
  return first === undefined ? 0 : countPromptTokens(promptBlocks(first));
}

function failuresOf({ recorder }: Seat, { server }: AgentRig): readonly string[] {
  const refused = server.requests.filter(({ refusal }) => refusal !== undefined);
  const isOwnMistake = ({ body }: RecordedExchange) => refused.some(({ rawBody }) => rawBody === body);
  return recorder.exchanges
    .filter((exchange) => exchange.status !== 200 && !isOwnMistake(exchange))
    .map(({ path, status, reply }) => `${path} ${status} ${reply.slice(0, 300)}`);
}

function remarks(lines: number): (() => string) | undefined {
  if (lines === 0) return undefined;
  let number = 0;
  return () => {
    number += 1;
    const rows = Array.from({ length: lines }, (_, row) => `Remark ${number}.${row}: ledger ${row * number} adds up.`);
    return rows.join("\n");
  };
}

/** What an agent sends grows with each note; it is shorter than before only after a summary. */
function findOwnSummary(requests: readonly SaidRequest[]): StandingRun["ownSummary"] {
  const index = requests.findIndex(({ agentText }, at) => {
    return agentText.length < (requests[at - 1]?.agentText.length ?? 0);
  });
  const [before, after] = [requests[index - 1], requests[index]];
  return before === undefined || after === undefined ? undefined : { before, after };
}

const { PALIMPSEST_AGENTS_CAPTURES } = process.env;

/** For people who want to read what was sent: the last request before the first fold, the first with it, the last of all. */
function keepCaptures(title: string, requests: readonly SaidRequest[]): void {
  if (!PALIMPSEST_AGENTS_CAPTURES) return;
  mkdirSync(PALIMPSEST_AGENTS_CAPTURES, { recursive: true });
  const keep = (which: string, body: unknown) => {
    const name = `${title} ${which}`.toLowerCase().replaceAll(" ", "-");
    writeFileSync(join(PALIMPSEST_AGENTS_CAPTURES, `${name}.json`), JSON.stringify(body, undefined, 2));
  };
  const unfolded = requests.findLast(({ foldings }) => foldings === 0);
  const folded = requests.find(({ foldings }) => foldings > 0);
  const last = requests.findLast(({ foldings }) => foldings > 0);
  if (unfolded !== undefined) keep("unfolded", unfolded.turn.received.body);
  if (folded !== undefined) keep("folded-first", folded.turn.received.body);
  if (last !== undefined) keep("folded-last", last.turn.received.body);
  if (last !== undefined) keep("folded-last-as-agent-sent-it", JSON.parse(last.turn.exchange.body));
}
