/**
 * How long one large request keeps the gateway from serving others: conversations that it has never seen, and the requests that follow, with
 * small requests of other agents all the time.
 */
import { milliseconds, quantile } from "../stores/times.ts";
import { startChild } from "./child.ts";
import { type Client, connect } from "./client.ts";
import { type ConversationSettings, startConversation } from "./conversations.ts";
import type { LongestBlock } from "./loop-watch.ts";
import { printTarget } from "./report.ts";
import { accountOf, startGatewayChild } from "./targets.ts";

/** What one request may block the event loop for, at most. */
const MOST_BLOCKED_MS = 20;
/** Requests of each large conversation that follow the first one. */
const FOLLOWING = 3;
const SMALL_MODEL = "claude-haiku-4-5";
// Without known prices, nothing is folded below the window.
const [FOLDED_MODEL, PASSED_MODEL] = ["claude-sonnet-4-5", "bench-model"];
const WINDOWS = { models: { [SMALL_MODEL]: 200_000, [FOLDED_MODEL]: 100_000, [PASSED_MODEL]: 50_000_000 } };

interface LargeCase extends Omit<ConversationSettings, "model"> {
  readonly name: string;
}

const CASES: readonly LargeCase[] = [
  { name: "400 KB", bytes: 400_000, resultBytes: 1_500 },
  { name: "4 MB", bytes: 4_000_000, resultBytes: 1_500 },
  { name: "16 MB", bytes: 15_900_000, resultBytes: 8_000 },
  { name: "100,000 messages", bytes: 15_000_000, resultBytes: 50 },
];
const QUICK_CASES = CASES.slice(0, 2);

export async function benchStalls(isQuick: boolean): Promise<void> {
  const upstream = await startChild("upstream-process.ts");
  const gateway = await startGatewayChild({
    upstreamUrl: upstream.url,
    store: "sqlite",
    windows: WINDOWS,
    watchesLoop: true,
  });
  const ask = async () => blockOf(await gateway.ask("longest-block"));
  console.log("\nThe longest block of the gateway's event loop, with small requests of other agents all the time");
  console.log(line("", ["by the clock ms", "main thread ms", "large request ms", "small p50 ms", "small p99 ms"]));
  const longest: number[] = [];
  const client = connect(gateway.url);
  const print = (name: string, { block, largeMs, smallMs }: Mixed) => {
    longest.push(block.cpuMs);
    const times = [block.wallMs, block.cpuMs, largeMs, quantile(smallMs, 0.5), quantile(smallMs, 0.99)];
    console.log(line(name, times.map(milliseconds)));
  };
  // What is compiled and read once is no request's.
  for (const model of [PASSED_MODEL, FOLDED_MODEL]) await runMixed(client, settingsOf(CASES[1], model), ask);
  for (const each of isQuick ? QUICK_CASES : CASES) {
    for (const [model, how] of [
      [PASSED_MODEL, "as it came"],
      [FOLDED_MODEL, "folded"],
    ] as const) {
      const { first, following } = await runMixed(client, settingsOf(each, model), ask);
      print(`${each.name}, ${how}, first`, first);
      print(`${each.name}, ${how}, next ${FOLLOWING}`, following);
    }
  }
  const { incidents } = await accountOf(gateway);
  console.log(`${incidents} incidents`);
  const most = Math.max(...longest);
  printTarget(most <= MOST_BLOCKED_MS, `longest block ${milliseconds(most)} ms (<= ${MOST_BLOCKED_MS} ms)`);
  await client.close();
  await gateway.end();
  await upstream.end();
}

interface Mixed {
  readonly block: LongestBlock;
  readonly largeMs: number;
  readonly smallMs: readonly number[];
}

/** A large conversation's first request, then those that follow. */
async function runMixed(client: Client, settings: ConversationSettings, ask: () => Promise<LongestBlock>) {
  const conversation = startConversation(settings);
  const requests = Array.from({ length: FOLLOWING + 1 }, () => conversation.next());
  const timed = async (count: number): Promise<Mixed> => {
    await ask();
    const small = sendSmall(client);
    let largeMs = 0;
    for (const request of requests.splice(0, count)) {
      largeMs = Math.max(largeMs, (await client.send(request)).milliseconds);
    }
    const block = await ask();
    return { block, largeMs, smallMs: await small.end() };
  };
  return { first: await timed(1), following: await timed(FOLLOWING) };
}

/** Small requests, one after the other, until it is ended. */
function sendSmall(client: Client) {
  const smallMs: number[] = [];
  let isOver = false;
  const sending = (async () => {
    const conversation = startConversation({ model: SMALL_MODEL, bytes: 1_000, resultBytes: 20 });
    while (!isOver) smallMs.push((await client.send(conversation.next())).milliseconds);
  })();
  return {
    end: async () => {
      isOver = true;
      await sending;
      return smallMs;
    },
  };
}

function settingsOf(large: LargeCase | undefined, model: string): ConversationSettings {
  return { bytes: large?.bytes ?? 0, resultBytes: large?.resultBytes ?? 0, model };
}

function blockOf(answer: unknown): LongestBlock {
  if (typeof answer !== "object" || answer === null || !("wallMs" in answer && "cpuMs" in answer)) {
    throw new Error("The gateway's process ended.");
  }
  return { wallMs: Number(answer.wallMs), cpuMs: Number(answer.cpuMs) };
}

function line(first: string, cells: readonly string[]): string {
  return first.padEnd(40) + cells.map((cell) => cell.padStart(18)).join("");
}
