/**
 * `npm run evals -- explain`: what the ledger's views of 8,000 tokens are filled with, and of what kind the needed names are that they do not show. With
 * the weights of the package, which were fitted to these sessions too: it is for finding what to try, not for figures.
 */
import { compact, getEffectiveApiHistory, type Message } from "palimpsest";
import { countContentTokens, countMessagesTokens, ledgerTerms } from "palimpsest/core";
import { findQuestions, renderView } from "palimpsest/evals";
import { DATA_FOLDER, TRAINING_FOLDER } from "../perf/data-folder.ts";
import { type CodingSession, readCodingSessions } from "./coding-sessions.ts";

const BUDGET_TOKENS = 8_000;
const LEAST_LOG_TOKENS = 30_000;
const LONG_LOG_TOKENS = 80_000;
const NEAR_REPLIES = 3;
const FAR_REPLIES = 30;

const { sessions } = await readCodingSessions([DATA_FOLDER, TRAINING_FOLDER]);
const agents = new Map(sessions.map((session: CodingSession): [unknown, string] => [session, session.agent]));
const sums = new Map<string, Sums>();
for (const { session, index, logTokens, identifiers } of findQuestions(sessions, {
  leastLogTokens: LEAST_LOG_TOKENS,
})) {
  const log = session.messages.slice(0, index);
  const view = getEffectiveApiHistory(compact(log, BUDGET_TOKENS).messages);
  const room = [...roomOf(view)];
  const lost = [...lostNames(log, identifiers, renderView(view))].map(([kind, count]): [string, number] => [
    kind,
    (100 * count) / Math.max(1, identifiers.size),
  ]);
  const length = logTokens < LONG_LOG_TOKENS ? "logs up to 80k" : "logs over 80k";
  for (const group of ["all", length, agents.get(session) ?? "unknown agent"]) add(group, { room, lost });
}
if (sums.size === 0) console.error("SKIPPED: there are no sessions. Set PALIMPSEST_DATA and PALIMPSEST_TRAINING.");
for (const [group, { moments, room, lost }] of sums) {
  console.log(`\n${group}, ${moments} moments`);
  console.log(`tokens of a view: ${listed(room, moments, 0)}`);
  console.log(`needed names that are not shown, in percent of all: ${listed(lost, moments, 1)}`);
}

/** Over the moments of a group. */
interface Sums {
  moments: number;
  readonly room: Map<string, number>;
  readonly lost: Map<string, number>;
}

interface Explained {
  readonly room: readonly (readonly [string, number])[];
  readonly lost: readonly (readonly [string, number])[];
}

function add(group: string, { room, lost }: Explained): void {
  const into = sums.get(group) ?? { moments: 0, room: new Map(), lost: new Map() };
  sums.set(group, into);
  into.moments += 1;
  for (const [name, tokens] of room) into.room.set(name, (into.room.get(name) ?? 0) + tokens);
  for (const [name, share] of lost) into.lost.set(name, (into.lost.get(name) ?? 0) + share);
}

function listed(totals: ReadonlyMap<string, number>, moments: number, digits: number): string {
  const ordered = [...totals].toSorted(([, one], [, other]) => other - one);
  return ordered.map(([name, total]) => `${name} ${(total / moments).toFixed(digits)}`).join(", ");
}

/** What each part of a view takes. */
function* roomOf(view: readonly Message[]): Generator<readonly [string, number]> {
  const ledger = view.filter(({ isSummary }) => isSummary);
  yield ["standing context and the newest messages", countMessagesTokens(view.filter(({ isSummary }) => !isSummary))];
  let part = "opening";
  for (const line of renderView(ledger).split("\n")) {
    if (line.startsWith("[state")) part = "state";
    else if (line.startsWith("[files")) part = "files";
    else if (/^\[(?:m\d|summary\b)/.test(line)) part = "headings";
    else if (part === "headings") part = "quoted lines";
    yield [line.startsWith("…") ? "marks" : part, countContentTokens(`${line}\n`)];
  }
}

/** How many needed names are nowhere in the text, by what the ledger knows of them. */
function lostNames(log: readonly Message[], needed: ReadonlySet<string>, text: string): ReadonlyMap<string, number> {
  const known = new Map(ledgerTerms(log).identifiers.map(({ identifier, terms }) => [identifier, terms]));
  const lost = new Map<string, number>();
  for (const name of needed) {
    if (text.includes(name)) continue;
    const terms = known.get(name);
    const kind = terms === undefined ? "no name to the ledger's scanner" : `${speakerOf(terms)} ${ageOf(terms)}`;
    lost.set(kind, (lost.get(kind) ?? 0) + 1);
  }
  return lost;
}

type Terms = ReturnType<typeof ledgerTerms>["identifiers"][number]["terms"];

function speakerOf({ agentMessages, isNamedByUser }: Terms): string {
  return agentMessages > 0 ? "the agent's own" : isNamedByUser > 0 ? "the person's" : "only a tool's";
}

function ageOf({ sinceNamed }: Terms): string {
  const replies = Math.expm1(sinceNamed);
  if (replies <= NEAR_REPLIES) return `of the last ${NEAR_REPLIES} replies`;
  return replies <= FAR_REPLIES ? `of the last ${FAR_REPLIES}` : "older";
}
