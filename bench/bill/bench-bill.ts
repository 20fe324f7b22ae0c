// What do real sessions cost under each policy? Replays Claude Code transcripts with their recorded clock, and bills what
// each policy would really have sent. Run: npm run bench -- bill [--windows | --all]: in other windows too, and there with every policy
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DATA_FOLDER, TRAINING_FOLDER } from "../perf/data-folder.ts";
import { REREAD_TOKENS } from "./bill-session.ts";
import { type BillRow, billTable, curveTable, measureTable } from "./bill-table.ts";
import { COMPARED_POLICIES, CURVE_POLICIES, POLICIES, REFERENCE } from "./policies.ts";
import { ANTHROPIC_5_MINUTES, PROFILES, type Profile } from "./profiles.ts";
import { type RecordedSessions, readRecordedSessions } from "./recorded-sessions.ts";

const USUAL_WINDOW = 200_000;
/** The usual one first: the picture in the docs is of the first table. */
const WINDOWS = [USUAL_WINDOW, 32_000, 64_000, 1_000_000];

/** One table: a price profile and a window. */
export interface BillTable {
  readonly profile: string;
  readonly contextWindow: number;
  readonly rows: readonly BillRow[];
}

/** A run of the bench, as it is kept. */
export interface BillResult {
  readonly files: number;
  readonly sessions: number;
  readonly calls: number;
  readonly shortSessions: number;
  readonly tables: readonly BillTable[];
  /** What folds that leave more or less cost and lose, at Anthropic's prices in the usual window. */
  readonly curve: readonly BillRow[];
}

/** Replays every session it finds and prints the bills; without any it says so and returns nothing. */
export async function benchBill(): Promise<readonly BillTable[]> {
  const folders = [DATA_FOLDER, TRAINING_FOLDER];
  const recorded = readRecordedSessions(folders);
  if (recorded.sessions.length === 0) {
    console.warn(
      `SKIPPED bill: no transcripts in claude-code/ of ${folders.join(" or ")}. PALIMPSEST_DATA and PALIMPSEST_TRAINING name them.`,
    );
    return [];
  }
  console.log(introduction(recorded));
  const tables: BillTable[] = [];
  const isAll = process.argv.includes("--all");
  for (const { profile, contextWindow } of settings(isAll || process.argv.includes("--windows"))) {
    const isWhole = isAll || (profile === ANTHROPIC_5_MINUTES && contextWindow === USUAL_WINDOW);
    const policies = isWhole ? POLICIES : COMPARED_POLICIES;
    const rows = await measureTable(recorded.sessions, { profile, contextWindow, policies });
    console.log(`\n${profile.name}, a window of ${contextWindow.toLocaleString("en")} tokens`);
    console.log(billTable(rows));
    tables.push({ profile: profile.name, contextWindow, rows });
  }
  const curve = await measureCurve(recorded);
  console.log(`\nThe bill against the loss, by what a fold leaves: ${ANTHROPIC_5_MINUTES.name}, the usual window`);
  console.log(curveTable(curve));
  keep({ ...summaryOf(recorded), tables, curve });
  return tables;
}

async function measureCurve({ sessions }: RecordedSessions): Promise<readonly BillRow[]> {
  const policies = [REFERENCE, ...CURVE_POLICIES];
  const setting = { profile: ANTHROPIC_5_MINUTES, contextWindow: USUAL_WINDOW, policies };
  const names = new Set(CURVE_POLICIES.map(({ name }) => name));
  return (await measureTable(sessions, setting)).filter(({ policy }) => names.has(policy));
}

interface TableSetting {
  readonly profile: Profile;
  readonly contextWindow: number;
}

function settings(inAllWindows: boolean): readonly TableSetting[] {
  const windows = inAllWindows ? WINDOWS : [USUAL_WINDOW];
  return windows.flatMap((contextWindow) => PROFILES.map((profile) => ({ profile, contextWindow })));
}

function summaryOf({ sessions, files, shortSessions }: RecordedSessions): Omit<BillResult, "tables" | "curve"> {
  const calls = sessions.reduce((sum, session) => sum + session.calls.length, 0);
  return { files, sessions: sessions.length, calls, shortSessions };
}

function introduction(recorded: RecordedSessions): string {
  const { files, sessions, calls, shortSessions } = summaryOf(recorded);
  return `
The bill of ${sessions} Claude Code sessions in ${files} files, ${calls} calls, with their recorded clock and reported sizes;
shorter sessions (${shortSessions}) are left out. Billed is what each policy sends, by the longest prefix that two requests share; each fold also pays
for ${REREAD_TOKENS} tokens that are read again, or for what it hid where that is less. A summary is a text of 2,000 tokens in which no
name is seen: what it loses is the most that it can lose. System prompts larger than a quarter of a window are cut to that.
"× optimum" is against the cheapest schedule of folds that leave as much, found afterwards; "timing" bills our folds at the same sizes as the
optimum's. The constants of our rule are those of its design but one: that a fold leaves half of its budget beside a long newest turn was chosen
on these sessions (docs/decisions/0045). The weights of the ledger were fitted to some of them.`;
}

/** Where a run is to be kept: PALIMPSEST_BILL_OUT=docs/images. */
function keep(result: BillResult): void {
  const folder = process.env.PALIMPSEST_BILL_OUT;
  if (folder === undefined) return;
  mkdirSync(resolve(folder), { recursive: true });
  const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toFixed(4)) : value);
  writeFileSync(join(resolve(folder), "bill.json"), `${JSON.stringify(result, rounded, 2)}\n`);
}

if (import.meta.main) await benchBill();
