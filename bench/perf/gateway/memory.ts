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

/** Growth of the heap beyond this is no noise. */
const MOST_GROWTH_PER_THOUSAND = 1;

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

/** After the first stop, which warms up. */
function printGrowth([warm, ...later]: readonly GatewayAccount[]): void {
  const last = later.at(-1);
  if (warm === undefined || last === undefined) return;
  const thousands = (last.requests - warm.requests) / 1_000;
  const [heap, rss] = [last.heapMegabytes - warm.heapMegabytes, last.rssMegabytes - warm.rssMegabytes];
  const perThousand = `${(heap / thousands).toFixed(2)} MB of heap and ${(rss / thousands).toFixed(2)} MB of RSS per 1,000 requests`;
  printTarget(
    heap / thousands < MOST_GROWTH_PER_THOUSAND,
    `grew by ${heap.toFixed(1)} MB of heap, ${rss.toFixed(0)} MB of RSS since ${warm.requests}: ${perThousand}`,
  );
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
