/** A gateway in your own process: the agent only changes its base URL. */
import { startGateway } from "palimpsest/gateway";
import { memoryStore } from "palimpsest/stores/memory";
import { startModelServer } from "palimpsest/testing";

// A scripted model on loopback stands for the provider, so that this runs offline. It asks for one more log in each turn.
let lamp = 0;
const provider = await startModelServer({
  contextWindow: 32_000,
  reply: () => {
    lamp += 1;
    return { type: "tool-calls", calls: [{ id: `toolu_lamp_${lamp}`, name: "read_log", input: { lamp } }] };
  },
});

const gateway = await startGateway({
  port: 0, // any that is free
  store: memoryStore(), // sqliteStore({ path }) keeps the sessions
  upstreams: { anthropic: provider.url }, // by default, the providers themselves
});

// The agent. Only its URL points to the gateway.
const messages: unknown[] = [{ role: "user", content: "Why does the light blink twice? Never switch off lamp 7." }];
for (let turn = 1; turn <= 20; turn++) {
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "any", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 2_000, tools: [readLog()], messages }),
  });
  const { content }: { content: readonly { id: string }[] } = JSON.parse(await response.text());
  messages.push({ role: "assistant", content });
  messages.push({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: content[0]?.id, content: lampLog(turn) }],
  });
  const [seen, sent] = ["in", "sent"].map((name) => Number(response.headers.get(`x-palimpsest-tokens-${name}`)));
  if (turn % 5 === 0)
    console.log(`turn ${turn}: status ${response.status}, ${thousands(seen)} tokens seen, ${thousands(sent)} sent`);
}

const [session] = await gateway.engine.sessions();
const hits = await (await gateway.engine.session(session?.id ?? "")).recall("serial number of lamp 3");
console.log(`recalled: ${/The serial number.*/.exec(hits[0]?.text ?? "")?.[0]}`);
await gateway.close();
await provider.close();

function readLog() {
  return { name: "read_log", input_schema: { type: "object", properties: { lamp: { type: "number" } } } };
}

function lampLog(lamp: number): string {
  return `The serial number of lamp ${lamp} is ${lamp * 7_919}.\n${"on, off, on, off\n".repeat(400)}`;
}

function thousands(tokens = 0): string {
  return `${Math.round(tokens / 1_000)}k`;
}
