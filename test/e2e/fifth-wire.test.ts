/** A wire that the package does not know: one folder, and one line where the adapters are listed. */
import { describe, expect, onTestFinished, test } from "vitest";
import { startGateway, WIRE_ADAPTERS } from "../../src/gateway/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { type AdapterFixtures, type ContractStep, testAdapter } from "../../src/testing/index.ts";
import { plainAdapter } from "./plain-wire/plain-adapter.ts";
import { faultOf, startPlainServer } from "./plain-wire/start-plain-server.ts";

const ADAPTERS = [...WIRE_ADAPTERS, plainAdapter];

const linesOf = (steps: readonly ContractStep[]): readonly object[] => [
  { from: "human", says: "Mend the tests." },
  ...steps.flatMap(({ id, path, output }) => [
    { from: "machine", says: `I read ${path} for ${id}.`, asks: [{ key: id, tool: "read", input: { path } }] },
    { from: "tools", answers: [{ key: id, gives: output }] },
  ]),
];
const bodyOf = (steps: readonly ContractStep[], lines: readonly object[] = []) => ({
  model: "plain-1",
  tools: [{ name: "read" }],
  most: 500,
  dialogue: { lines: [...linesOf(steps), ...lines], mood: "calm" },
  unknown: [1.5],
});

const FIXTURES: AdapterFixtures = {
  path: "/plain/converse",
  body: (steps) => bodyOf(steps, [{ from: "human", says: "And now?" }]),
  strangers: [
    { path: "/plain/voices", body: "{}" },
    { path: "/plain/converse", body: '{"dialogue":{"lines":[{"from":"nobody"}]}}' },
  ],
  allowance: "most",
  replies: [{ text: '{"says":"Hi.","spent":{"read":7,"written":2}}', usage: { inputTokens: 7, outputTokens: 2 } }],
  refusalOf: async (_, body) => faultOf(body),
};

describe("the contract of adapters", () => {
  for (const { name, run } of testAdapter(plainAdapter, FIXTURES)) test(name, run);
});

test("the gateway keeps a long conversation of it inside the window", async () => {
  const server = await startPlainServer(60_000);
  const gateway = await startGateway({
    port: 0,
    store: memoryStore(),
    adapters: ADAPTERS,
    upstreams: { plain: server.url },
    windows: { all: 12_000 },
  });
  onTestFinished(() => gateway.close());
  const activities: string[] = [];
  gateway.activity.listen((activity) => {
    if (activity.type === "request") activities.push(`${activity.api} ${activity.sessionId}`);
    if (activity.type === "incident") activities.push(`incident: ${activity.what}`);
  });
  const steps: ContractStep[] = [];
  const sent: string[] = [];
  for (let index = 0; index < 30; index++) {
    const output = `Line ${index} of a file that is read.\n`.repeat(60);
    steps.push({ id: `call-${index}-of-a-plain-talk`, path: `file-${index}.ts`, output });
    const body = JSON.stringify(bodyOf(steps));
    sent.push(body);
    const headers = { "x-plain-talk": "one" };
    const response = await fetch(`${gateway.url}/plain/converse`, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({ says: "Very well." });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-palimpsest-session")).toBe("plain:one");
  }
  expect(server.refused).toEqual([]);
  expect(server.taken.slice(0, 3)).toEqual(sent.slice(0, 3));
  expect(sent.at(-1)?.length).toBeGreaterThan(60_000);
  expect(new Set(activities)).toEqual(new Set(["plain plain:one"]));
  const [last = "", agent = ""] = [server.taken.at(-1), sent.at(-1)];
  // What is not folded is the agent's own bytes: the newest lines, and all around the dialogue.
  const newest = agent.slice(agent.indexOf('{"from":"machine","says":"I read file-29.ts'));
  expect(last.endsWith(newest)).toBe(true);
  expect((await (await gateway.engine.session("plain:one")).log()).length).toBeGreaterThanOrEqual(61);
});

test("requests to other paths of its upstream are forwarded as they are, and other wires go where they went", async () => {
  const server = await startPlainServer(60_000);
  const upstreams = { plain: server.url, anthropic: "http://127.0.0.1:9", openai: "http://127.0.0.1:9" };
  const gateway = await startGateway({ port: 0, store: memoryStore(), adapters: ADAPTERS, upstreams });
  onTestFinished(() => gateway.close());
  const body = JSON.stringify({ dialogue: { lines: [{ from: "human", says: "Hi." }] } });
  const other = await fetch(`${gateway.url}/plain/voices`, { method: "POST", body });
  expect(other.status).toBe(200);
  expect(server.taken).toEqual([body]);
  const elsewhere = await fetch(`${gateway.url}/v1/messages`, { method: "POST", body: "{}" });
  expect(elsewhere.status).toBe(502);
});
