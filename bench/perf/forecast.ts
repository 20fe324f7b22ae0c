// How well is the next prompt's size predicted on real traffic? Replays Claude Code transcripts: before each reply we
// forecast, then compare with what the provider reported. Run: npm run bench -- forecast

import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Content, findModel, type Message, type ReportedUsage } from "palimpsest";
import {
  anchor,
  countContentTokens,
  createForecast,
  type ForecastState,
  forecast,
  type ModelCalibration,
  rebase,
} from "palimpsest/core";
import { type RecordedRequest, readRequests } from "./claude-code-requests.ts";
import { DATA_FOLDER } from "./data-folder.ts";
import { type Foretold, foretellInGateway } from "./forecast-gateway.ts";

export interface ErrorRow {
  readonly method: string;
  readonly startingFrom: Start;
  readonly requests: number;
  readonly medianPercent: number;
  readonly p90Percent: number;
  readonly p99Percent: number;
  readonly worstPercent: number;
}

/** Replays every transcript it finds and prints the errors; without any it says so and returns nothing. */
export async function benchForecast(): Promise<readonly ErrorRow[]> {
  const folder = join(DATA_FOLDER, "claude-code");
  const files = existsSync(folder) ? globSync("**/*.jsonl", { cwd: folder }).sort() : [];
  if (files.length === 0) {
    console.warn(
      `SKIPPED forecast: no transcripts in ${folder}. PALIMPSEST_DATA names the folder that holds claude-code/.`,
    );
    return [];
  }
  const sessions = files.flatMap((file) => readRequests(readFileSync(join(folder, file), "utf8")));
  const rows = [
    ...replay(sessions, "known model"),
    ...replay(sessions, "nothing").filter(isLearning),
    ...(await replayInGateway(sessions)),
  ];
  console.log(`${files.length} files, ${sessions.length} sessions; errors in percent of the reported prompt`);
  console.table(rows);
  return rows;
}

/** The registry's token ratio and what earlier sessions of the model taught, or neither. */
export type Start = "known model" | "nothing";

function isLearning({ method }: ErrorRow): boolean {
  return !method.startsWith("cold, raw");
}

type NoteError = (method: string, predictedTokens: number, reportedTokens: number) => void;

function replay(sessions: readonly (readonly RecordedRequest[])[], start: Start): readonly ErrorRow[] {
  const learned = new Map<string, ModelCalibration>();
  const errors = new Map<string, number[]>();
  const noteError: NoteError = (method, predictedTokens, reportedTokens) => {
    const list = errors.get(method) ?? [];
    errors.set(method, list);
    list.push(Math.abs(predictedTokens - reportedTokens) / reportedTokens);
  };
  for (const requests of sessions) {
    for (const conversation of splitConversations(requests)) {
      const { model } = conversation[0] ?? { model: "" };
      const calibration = replayConversation(conversation, createStart(model), noteError);
      learned.set(model, calibration);
    }
  }
  return [...errors].map(([method, list]) => ({ method, startingFrom: start, ...summarize(list) }));

  function createStart(model: string): ForecastState {
    if (start === "nothing") return createForecast();
    const calibration = learned.get(model);
    return createForecast({ tokenRatio: findModel(model).tokenRatio ?? 1, ...(calibration && { calibration }) });
  }
}

/** The same requests through a gateway. */
async function replayInGateway(sessions: readonly (readonly RecordedRequest[])[]): Promise<readonly ErrorRow[]> {
  const foretold = await foretellInGateway(sessions.flatMap(splitConversations), promptTokensOf, rawTokensOf);
  const isInFile = ({ previous, request }: Foretold) => isExplained(previous, request) && hasFinalOutput(previous);
  const rowOf = (method: string, of: readonly Foretold[]): ErrorRow => {
    const errors = of.map(({ predictedTokens, request }) => {
      const reported = promptTokensOf(request.usage);
      return Math.abs(predictedTokens - reported) / reported;
    });
    return { method, startingFrom: "known model", ...summarize(errors) };
  };
  return [
    rowOf("gateway", foretold),
    rowOf(
      "gateway, from the sixth request on",
      foretold.filter(({ index }) => index >= 5),
    ),
    rowOf("gateway, growth and reply are in the file", foretold.filter(isInFile)),
    rowOf(
      "gateway, … and from the sixth request on",
      foretold.filter((each) => isInFile(each) && each.index >= 5),
    ),
  ];
}

// a compaction and a change of model both begin a prompt that no anchor knows
function splitConversations(requests: readonly RecordedRequest[]): readonly (readonly RecordedRequest[])[] {
  const conversations: RecordedRequest[][] = [];
  for (const request of requests) {
    const current = conversations.at(-1);
    if (current === undefined || request.isRestart || current[0]?.model !== request.model)
      conversations.push([request]);
    else current.push(request);
  }
  return conversations;
}

function replayConversation(
  requests: readonly RecordedRequest[],
  start: ForecastState,
  noteError: NoteError,
): ModelCalibration {
  let state = start;
  const whole: Message[] = [];
  let first = { promptTokens: 0, rawTokens: 0 };
  for (const [i, request] of requests.entries()) {
    const previous = requests[i - 1];
    const newMessages = previous === undefined ? request.added : [previous.reply, ...request.added];
    whole.push(...newMessages);
    const reported = promptTokensOf(request.usage);
    const rawTokens = rawTokensOf(whole);
    if (previous === undefined) {
      first = { promptTokens: reported, rawTokens };
    } else {
      const predicted = forecast(state, newMessages, countContent);
      noteError("anchored", predicted, reported);
      if (i >= 5) noteError("anchored, from the sixth request on", predicted, reported);
      if (isExplained(previous, request)) {
        noteError("anchored, growth is in the file", predicted, reported);
        if (hasFinalOutput(previous)) {
          noteError("anchored, growth and reply are in the file", predicted, reported);
          if (i >= 5) noteError("… and from the sixth request on", predicted, reported);
        }
      }
      noteError("cold, calibrated", forecast(rebase(state), whole, countContent), reported);
      // both are given the first prompt: its system prompt and tools are in no file
      noteError("cold, raw o200k", first.promptTokens + (rawTokens - first.rawTokens), reported);
      noteError("cold, raw × 1.5", first.promptTokens + 1.5 * (rawTokens - first.rawTokens), reported);
    }
    state = anchor(state, request.usage, { newMessages, countTokens: countContent });
  }
  return state.calibration;
}

function summarize(errors: readonly number[]): Omit<ErrorRow, "method" | "startingFrom"> {
  const sorted = errors.toSorted((a, b) => a - b);
  const percentAt = (share: number) => {
    const error = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
    return Number((100 * error).toFixed(3));
  };
  return {
    requests: sorted.length,
    medianPercent: percentAt(0.5),
    p90Percent: percentAt(0.9),
    p99Percent: percentAt(0.99),
    worstPercent: percentAt(1),
  };
}

function promptTokensOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ReportedUsage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

// agents put reminders and changed files into prompts without writing them to the transcript; no tokenizer seen so far
// makes more than two tokens of one of ours
function isExplained(previous: RecordedRequest, request: RecordedRequest): boolean {
  const grownTokens = promptTokensOf(request.usage) - promptTokensOf(previous.usage);
  const replyTokens = hasFinalOutput(previous)
    ? (previous.usage.outputTokens ?? 0)
    : 2.2 * rawTokensOf([previous.reply]);
  return grownTokens <= replyTokens + 2.2 * rawTokensOf(request.added) + 120;
}

// older versions of the agent wrote down what the stream reported first
function hasFinalOutput({ usage, reply }: RecordedRequest): boolean {
  return (usage.outputTokens ?? 0) >= 0.8 * rawTokensOf([reply]);
}

const countedTokens = new WeakMap<object, number>();

function rawTokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + countContent(content), 0);
}

// the cold recounts ask for every message again at every request
function countContent(content: Content): number {
  if (typeof content === "string") return countContentTokens(content);
  const tokens = countedTokens.get(content) ?? countContentTokens(content);
  countedTokens.set(content, tokens);
  return tokens;
}

if (import.meta.main) await benchForecast();
