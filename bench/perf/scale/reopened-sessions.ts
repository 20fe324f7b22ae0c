/** What a gateway spends on the first request of a session that it has not open, and on the next one: with its saved state, and without. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Child, cpuOf, startChild } from "../gateway/child.ts";
import { connect } from "../gateway/client.ts";
import { type AgentRequest, type Conversation, startConversation } from "../gateway/conversations.ts";
import { accountOf, startGatewayChild } from "../gateway/targets.ts";
import { milliseconds, quantile, row } from "../stores/times.ts";

const SIZES = [2_000, 20_000, ...(process.argv.includes("--full") ? [100_000] : [])];
/** Of a call and its result, about. */
const BYTES_PER_TURN = 560;
const RESULT_BYTES = 320;
const MODEL = "claude-haiku-4-5";
/** All of these conversations are folded. */
const WINDOW_TOKENS = 40_000;
const [WARM_UPS, REPEATS] = [60, 5];

interface Costs {
  readonly firstMs: number;
  readonly nextMs: number;
  /** What the conversation added to the heap. */
  readonly heapMegabytes: number;
}

export async function benchReopenedSessions(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-scale-"));
  const upstream = await startChild("upstream-process.ts");
  console.log(
    "\nThe first request of a folded session after a restart, and the next one; processor time in ms, heap in MB",
  );
  console.log(row("messages", "MB", "first", "next", "heap", "without a state: first", "next", "heap"));
  for (const size of SIZES) {
    const long = conversationOf(size);
    const path = join(folder, `${size}.sqlite`);
    const { body } = await fill(long, { path, upstream });
    const saved = await measure(long, { path, upstream });
    new DatabaseSync(path).exec("DELETE FROM saved_states");
    const read = await measure(long, { path, upstream });
    const cells = [saved, read].flatMap(({ firstMs, nextMs, heapMegabytes }) => [
      milliseconds(firstMs),
      milliseconds(nextMs),
      heapMegabytes.toFixed(1),
    ]);
    console.log(row(String(size), (body.length / 1_000_000).toFixed(2), ...cells));
  }
  await upstream.end();
  await rm(folder, { recursive: true });
}

interface Place {
  readonly path: string;
  readonly upstream: Child;
}

/** Resolves with the last request. */
async function fill(long: Conversation, place: Place): Promise<AgentRequest> {
  return withGateway(place, async (_, send) => {
    let last = long.next();
    for (let count = 0; count < REPEATS; count++, last = long.next()) await send(last);
    return last;
  });
}

async function measure(long: Conversation, place: Place): Promise<Costs> {
  return withGateway(place, async (gateway, send) => {
    // A gateway runs for days: what is measured is not its first minute.
    const short = conversationOf(1);
    for (let count = 0; count < WARM_UPS; count++) await send(short.next());
    const { heapMegabytes: before } = await accountOf(gateway);
    const firstMs = await cpuOf(gateway, () => send(long.next()));
    const times: number[] = [];
    for (let count = 0; count < REPEATS; count++) times.push(await cpuOf(gateway, () => send(long.next())));
    const { heapMegabytes, foldingRequests } = await accountOf(gateway);
    if (foldingRequests > 0) throw new Error("The bench measures something else: a request made folds.");
    return { firstMs, nextMs: quantile(times, 0.5), heapMegabytes: heapMegabytes - before };
  });
}

async function withGateway<Value>(
  { path, upstream }: Place,
  use: (gateway: Child, send: (request: AgentRequest) => Promise<unknown>) => Promise<Value>,
): Promise<Value> {
  const settings = { upstreamUrl: upstream.url, store: "sqlite", path, windows: { all: WINDOW_TOKENS } } as const;
  const gateway = await startGatewayChild(settings);
  const client = connect(gateway.url);
  const value = await use(gateway, (request) => client.send(request));
  await gateway.cpuMicroseconds();
  await client.close();
  await gateway.end();
  return value;
}

function conversationOf(messages: number): Conversation {
  return startConversation({ model: MODEL, bytes: (messages / 2) * BYTES_PER_TURN, resultBytes: RESULT_BYTES });
}
