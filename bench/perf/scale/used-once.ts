/** What a gateway keeps in memory of sessions that were used once. */
import { startChild } from "../gateway/child.ts";
import { connect } from "../gateway/client.ts";
import { startConversation } from "../gateway/conversations.ts";
import { accountOf, startGatewayChild } from "../gateway/targets.ts";
import { row } from "../stores/times.ts";

const STEPS = [100, 1_000, process.argv.includes("--full") ? 10_000 : 4_000];
/** Of each one's only request: a system prompt, a call and its result. */
const [BYTES, RESULT_BYTES] = [4_000, 3_000];
const AT_ONCE = 8;

export async function benchUsedOnce(): Promise<void> {
  const upstream = await startChild("upstream-process.ts");
  const gateway = await startGatewayChild({
    upstreamUrl: upstream.url,
    store: "sqlite",
    windows: { all: 200_000 },
  });
  const client = connect(gateway.url);
  console.log(`\nSessions of one request of ${BYTES} bytes; the gateway's heap after collecting garbage, in MB`);
  console.log(row("sessions", "heap", "KB per session since the row before"));
  let [count, before] = [0, { count: 0, heap: (await accountOf(gateway)).heapMegabytes }];
  for (const sessions of STEPS) {
    for (; count < sessions; count += AT_ONCE) {
      const begun = Array.from({ length: AT_ONCE }, () =>
        startConversation({ model: "claude-haiku-4-5", bytes: BYTES, resultBytes: RESULT_BYTES }),
      );
      await Promise.all(begun.map((each) => client.send(each.next())));
    }
    const { heapMegabytes: heap } = await accountOf(gateway);
    const perSession = ((heap - before.heap) * 1_024) / (count - before.count);
    console.log(row(String(count), heap.toFixed(1), perSession.toFixed(1)));
    before = { count, heap };
  }
  await client.close();
  for (const child of [gateway, upstream]) await child.end();
}
