/** What a gateway spends on one more request of a long conversation, all of which is sent each time: ours, beside a proxy that only passes bytes on. */
import { cpuOf, startChild } from "../gateway/child.ts";
import { connect } from "../gateway/client.ts";
import { type AgentRequest, type Conversation, startConversation } from "../gateway/conversations.ts";
import { startGatewayChild } from "../gateway/targets.ts";
import { milliseconds, quantile, ratio, row } from "../stores/times.ts";

const SIZES = [1_000, 10_000, ...(process.argv.includes("--full") ? [100_000] : [])];
/** Of a call and its result, about. */
const BYTES_PER_TURN = 265;
const RESULT_BYTES = 40;
const MODEL = "claude-haiku-4-5";
/** All of these conversations are folded. */
const WINDOW_TOKENS = 40_000;
const [WARM_UPS, REPEATS] = [400, 30];

interface Costs {
  readonly messages: number;
  readonly megabytes: number;
  readonly proxyMs: number;
  readonly ownMs: number;
}

export async function benchLongRequests(): Promise<void> {
  console.log("\nOne more request of a long conversation with folds, all of it sent; processor time in ms, p50");
  console.log(row("messages", "MB", "bare proxy", "gateway", "÷ bare proxy", "of 1,000"));
  const measured: Costs[] = [];
  for (const size of SIZES) {
    const costs = await measureSize(size);
    measured.push(costs);
    const { messages, megabytes, proxyMs, ownMs } = costs;
    const cells = [megabytes.toFixed(2), milliseconds(proxyMs), milliseconds(ownMs), ratio(ownMs / proxyMs)];
    console.log(row(String(messages), ...cells, ratio(ownMs / (measured[0]?.ownMs ?? Number.NaN))));
  }
}

async function measureSize(size: number): Promise<Costs> {
  const upstream = await startChild("upstream-process.ts");
  const settings = { upstreamUrl: upstream.url };
  const proxy = await startChild("floor-process.ts", { settings });
  const own = await startGatewayChild({ ...settings, store: "sqlite", windows: { all: WINDOW_TOKENS } });
  const children = [proxy, own];
  const clients = children.map((child) => connect(child.url));
  const send = async (request: AgentRequest) => {
    for (const client of clients) await client.send(request);
  };
  // A gateway runs for days: what is measured is not its first minute.
  const short = conversationOf(1);
  for (let count = 0; count < WARM_UPS; count++) await send(short.next());
  const long = conversationOf(size);
  for (let count = 0; count < 4; count++) await send(long.next());
  const times: readonly number[][] = children.map(() => []);
  let last = long.next();
  for (let count = 0; count < REPEATS; count++, last = long.next()) {
    for (const [index, child] of children.entries()) {
      times[index]?.push(await cpuOf(child, () => clients[index]?.send(last)));
    }
  }
  for (const client of clients) await client.close();
  for (const child of [...children, upstream]) await child.end();
  const [proxyMs = Number.NaN, ownMs = Number.NaN] = times.map((each) => quantile(each, 0.5));
  const { messages } = JSON.parse(last.body.toString());
  return { messages: messages.length, megabytes: last.body.length / 1_000_000, proxyMs, ownMs };
}

function conversationOf(messages: number): Conversation {
  return startConversation({ model: MODEL, bytes: (messages / 2) * BYTES_PER_TURN, resultBytes: RESULT_BYTES });
}
