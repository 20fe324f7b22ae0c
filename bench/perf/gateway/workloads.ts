/** What is sent: bodies of three sizes that grow a little with each request, one after the other and many at once. */
import type { Windows } from "palimpsest/gateway";
import type { ConversationSettings } from "./conversations.ts";

export interface Workload {
  readonly name: string;
  readonly size: Size;
  readonly concurrency: number;
  readonly isStreaming: boolean;
  /** Requests of a conversation in one go, one after the other. */
  readonly steps: number;
  readonly rounds: Rounds;
}

/** No round begins after so many seconds, unless there were too few. A gateway runs for days: what is timed is not its first minute. */
export interface Rounds {
  /** Those before the first that is timed. */
  readonly warmUps: number;
  readonly least: number;
  readonly most: number;
  readonly seconds: number;
}

export interface Size {
  readonly name: string;
  readonly conversation: ConversationSettings;
  /** Timed requests of a conversation before another one begins. */
  readonly requestsPerConversation: number;
}

// A model each: windows are set by model.
const KILOBYTE: Size = {
  name: "1 KB",
  conversation: { model: "claude-haiku-4-5", bytes: 500, resultBytes: 20 },
  requestsPerConversation: 3,
};
const FOUR_HUNDRED_KILOBYTES: Size = {
  name: "400 KB",
  conversation: { model: "claude-sonnet-4-5", bytes: 370_000, resultBytes: 1_500 },
  requestsPerConversation: 32,
};
const FOUR_MEGABYTES: Size = {
  name: "4 MB",
  conversation: { model: "claude-opus-4-5", bytes: 3_970_000, resultBytes: 1_500 },
  requestsPerConversation: 32,
};

/** Nothing ever has to be folded, and a percentage of that window decides: prices would fold a conversation of 400 KB in any window. */
export const WITHOUT_FOLDS = {
  windows: { all: 20_000_000 },
  configuration: { thresholds: { global: 100, adaptive: false } },
} as const;

/** Each conversation is several times its window, and now and then outgrows it again. */
export const NARROW_WINDOWS: Windows = {
  models: { "claude-haiku-4-5": 260, "claude-sonnet-4-5": 24_000, "claude-opus-4-5": 40_000 },
};

const AT_ONCE = 32;

export const WORKLOADS: readonly Workload[] = [
  workload(KILOBYTE, { concurrency: 1, steps: 3, rounds: { warmUps: 200, least: 40, most: 200, seconds: 10 } }),
  workload(KILOBYTE, { concurrency: AT_ONCE, steps: 3, rounds: { warmUps: 4, least: 4, most: 25, seconds: 10 } }),
  workload(FOUR_HUNDRED_KILOBYTES, {
    concurrency: 1,
    steps: 4,
    rounds: { warmUps: 1, least: 12, most: 60, seconds: 20 },
  }),
  workload(FOUR_HUNDRED_KILOBYTES, {
    concurrency: AT_ONCE,
    steps: 2,
    rounds: { warmUps: 1, least: 2, most: 8, seconds: 20 },
  }),
  workload(FOUR_MEGABYTES, { concurrency: 1, steps: 2, rounds: { warmUps: 1, least: 4, most: 20, seconds: 20 } }),
  workload(FOUR_MEGABYTES, { concurrency: AT_ONCE, steps: 1, rounds: { warmUps: 0, least: 1, most: 4, seconds: 30 } }),
];

export const STREAMED_WORKLOADS: readonly Workload[] = [
  streamed({ concurrency: 1, steps: 3, rounds: { warmUps: 1, least: 30, most: 100, seconds: 5 } }),
  streamed({ concurrency: AT_ONCE, steps: 3, rounds: { warmUps: 1, least: 3, most: 12, seconds: 5 } }),
];

type Pace = Pick<Workload, "concurrency" | "steps" | "rounds">;

function workload(size: Size, pace: Pace): Workload {
  const name = `${size.name}, ${pace.concurrency === 1 ? "one at a time" : `${pace.concurrency} at once`}`;
  return { name, size, isStreaming: false, ...pace };
}

function streamed(pace: Pace): Workload {
  const plain = workload(KILOBYTE, pace);
  return { ...plain, name: `${plain.name}, streamed in 30 events`, isStreaming: true };
}

/** Less of everything, and nothing of what takes longest: many large conversations. */
export function quick(workloads: readonly Workload[]): readonly Workload[] {
  const shorter = workloads.filter(({ size, concurrency }) => size !== FOUR_MEGABYTES || concurrency === 1);
  return shorter.map(({ rounds: { warmUps, least, most, seconds }, ...rest }) => ({
    ...rest,
    rounds: {
      warmUps: Math.ceil(warmUps / 4),
      least: Math.ceil(least / 4),
      most: Math.ceil(most / 4),
      seconds: seconds / 4,
    },
  }));
}
