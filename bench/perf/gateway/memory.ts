/** Whether a gateway that runs for long needs more and more memory. */
import { startChild } from "./child.ts";
import { connect } from "./client.ts";
import { type Conversation, startConversation } from "./conversations.ts";
import { printTarget } from "./report.ts";
import { accountOf, type GatewayAccount, startGatewayChild } from "./targets.ts";

/** More conversations at a time than requests at once; in all, many more than are held open. */
const OPEN_CONVERSATIONS = 40;
const REQUESTS_PER_CONVERSATION = 10;
const AT_ONCE = 8;
/** A quarter of the conversations outgrows its window. */
const MODELS = ["claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5", "claude-sonnet-4-5"];
const WINDOWS = { all: 1_000_000, models: { "claude-haiku-4-5": 3_000 } };
const [SMALLEST_BYTES, BYTES_RANGE] = [1_500, 8_000];

/** In megabytes. Growth of the heap beyond this is no noise. */
const MOST_GROWTH_PER_THOUSAND = 0.2;

export async function benchMemory(stops: readonly number[]): Promise<void> {
  const upstream = await startChild("upstream-process.ts");
  const gateway = await startGatewayChild({ upstreamUrl: upstream.url, store: "sqlite", windows: WINDOWS });
  const client = connect(gateway.url);
  const nextRequest = mixedRequests();
  console.log(
    `\nMemory of the gateway over ${stops.at(-1)} requests of ${OPEN_CONVERSATIONS} conversations at a time, after collecting garbage`,
  );
  console.log(line(["requests", "heap MB", "RSS MB", "made folds", "incidents"]));
  const accounts: GatewayAccount[] = [];
  let sent = 0;
  for (const stop of stops) {
    const send = async () => {
      while (sent < stop) {
        sent += 1;
        await client.send(nextRequest());
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    const account = await accountOf(gateway);
    accounts.push(account);
    const { requests, heapMegabytes, rssMegabytes, foldingRequests, incidents } = account;
    console.log(line([requests, heapMegabytes.toFixed(1), rssMegabytes.toFixed(0), foldingRequests, incidents]));
  }
  printGrowth(accounts);
  await client.close();
  await gateway.end();
  await upstream.end();
}

/** Since the first stop, when the caches are full, and in the last stretch. */
function printGrowth(accounts: readonly GatewayAccount[]): void {
  const [warm, before, last] = [accounts[0], accounts.at(-2), accounts.at(-1)];
  if (warm === undefined || before === undefined || last === undefined) return;
  const sinceWarm = growthFrom(warm, last);
  printTarget(sinceWarm.heap < MOST_GROWTH_PER_THOUSAND, `since ${warm.requests} requests: ${told(sinceWarm)}`);
  const sinceBefore = growthFrom(before, last);
  printTarget(sinceBefore.heap < MOST_GROWTH_PER_THOUSAND, `since ${before.requests} requests: ${told(sinceBefore)}`);
}

/** In megabytes: in all, and per thousand requests. */
interface Growth {
  readonly heapAll: number;
  readonly rssAll: number;
  readonly heap: number;
  readonly rss: number;
}

function growthFrom(one: GatewayAccount, other: GatewayAccount): Growth {
  const thousands = (other.requests - one.requests) / 1_000;
  const heapAll = other.heapMegabytes - one.heapMegabytes;
  const rssAll = other.rssMegabytes - one.rssMegabytes;
  return { heapAll, rssAll, heap: heapAll / thousands, rss: rssAll / thousands };
}

function told({ heapAll, rssAll, heap, rss }: Growth): string {
  return `grew by ${heapAll.toFixed(1)} MB of heap and ${rssAll.toFixed(0)} MB of RSS, ${heap.toFixed(2)} and ${rss.toFixed(2)} MB per 1,000 requests`;
}

/** The next request of the conversation that waited longest. */
function mixedRequests(): () => ReturnType<Conversation["next"]> {
  let begun = 0;
  const begin = () => {
    begun += 1;
    const model = MODELS[begun % MODELS.length] ?? "";
    const bytes = SMALLEST_BYTES + ((begun * 977) % BYTES_RANGE);
    return { conversation: startConversation({ model, bytes, resultBytes: 400 }), left: REQUESTS_PER_CONVERSATION };
  };
  const open = Array.from({ length: OPEN_CONVERSATIONS }, begin);
  return () => {
    const next = open.shift() ?? begin();
    const request = next.conversation.next();
    next.left -= 1;
    open.push(next.left === 0 ? begin() : next);
    return request;
  };
}

function line(cells: readonly (string | number)[]): string {
  return cells.map((cell) => String(cell).padStart(14)).join("");
}
