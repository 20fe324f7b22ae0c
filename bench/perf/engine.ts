/** What the engine itself costs: prepare() with nothing to do, and one condensation without the model's time. */
import { setImmediate } from "node:timers/promises";
import { createEngine, type Message, type ModelHandler, modelCondenser } from "palimpsest";
import { buildSession, TOKENS_PER_MESSAGE } from "./long-session.ts";

const SIZES = [1_000, 10_000, 100_000];
const PREPARES = 2_000;
const CONDENSED_TOKENS = 200_000;
const CONDENSATIONS = 15;

export async function benchEngine(): Promise<void> {
  await benchNothingToDo();
  await benchCondensation();
}

async function benchNothingToDo(): Promise<void> {
  console.log("\nprepare() when nothing is to be done, after each of 2,000 appended messages, times in ms");
  console.log(row("messages", "first", "p50", "p99", "max"));
  for (const size of SIZES) {
    const engine = createEngine({ model: "bench", contextWindow: 1_000_000_000 });
    const session = await engine.session(String(size), { messages: buildSession(size) });
    const [first] = await timed(() => session.prepare());
    const times: number[] = [];
    for (const message of buildSession(PREPARES, size)) {
      await session.append(message);
      times.push((await timed(() => session.prepare()))[0]);
    }
    console.log(row(String(size), milliseconds(first), ...[0.5, 0.99, 1].map((share) => quantile(times, share))));
  }
}

async function benchCondensation(): Promise<void> {
  console.log(
    `\nOne condensation of ${CONDENSED_TOKENS} tokens without the model's time, ${CONDENSATIONS} runs, times in ms`,
  );
  console.log(row("strategy", "p50", "p90", "max"));
  for (const strategy of ["summary", "snapshot"] as const) {
    const times: number[] = [];
    for (let run = 0; run < CONDENSATIONS; run++) times.push(await condenseOnce(strategy, run));
    console.log(row(strategy, ...[0.5, 0.9, 1].map((share) => quantile(times, share))));
  }
}

/** The messages are new each time; they are counted and read when they are appended, as in a real session. */
async function condenseOnce(strategy: "summary" | "snapshot", run: number): Promise<number> {
  const size = CONDENSED_TOKENS / TOKENS_PER_MESSAGE;
  const messages = withoutLastCall(buildSession(size, 2 * run * size));
  const engine = createEngine({
    model: "bench",
    contextWindow: 1_000_000,
    condenser: modelCondenser(instantModel(strategy), { strategy }),
    configuration: { validation: { rules: { minFactSurvival: 0, minBackTest: 0 } } },
  });
  const session = await engine.session("bench");
  for (const message of messages) {
    await session.append(message);
    await setImmediate();
  }
  await session.prepare();
  const [elapsed, result] = await timed(() => session.condense());
  const error = result.error ?? result.modelError;
  if (error !== undefined) throw new Error(`The bench measures something else: ${error}`);
  return elapsed;
}

/** A call that still runs may not be condensed, nor what comes after it. */
function withoutLastCall(messages: readonly Message[]): readonly Message[] {
  return [...messages.slice(0, -1), { role: "assistant", content: "All notes are taken." }];
}

function instantModel(strategy: "summary" | "snapshot"): ModelHandler {
  const words = Array.from({ length: 400 }, (_, index) => `note ${index} was taken and says what had to be said`).join(
    "; ",
  );
  const part = (tag: string, index: number) => `<${tag}>${words.slice(index * 2_000, (index + 1) * 2_000)}</${tag}>`;
  const tags = ["overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"];
  const snapshot = `<state_snapshot>${tags.map(part).join("")}</state_snapshot>`;
  return {
    getModel: () => ({ id: "bench", info: { contextWindow: 1_000_000, maxTokens: 8_000 } }),
    createMessage: async function* () {
      yield { type: "text", text: strategy === "summary" ? words : snapshot };
    },
  };
}

async function timed<Value>(work: () => Promise<Value>): Promise<readonly [number, Value]> {
  const start = performance.now();
  const value = await work();
  return [performance.now() - start, value];
}

function quantile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return milliseconds(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN);
}

function milliseconds(value: number): string {
  return value.toFixed(value < 1 ? 4 : 1);
}

function row(...cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(12)).join("");
}
