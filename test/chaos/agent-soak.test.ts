/** An agent that works for hundreds of turns, in a small window, while everything around it fails now and then. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { validateView } from "../../src/core/index.ts";
import { ModernContextEngine } from "../../src/engine/agent/index.ts";
import { type Message, restoreAllMessages, type Store } from "../../src/index.ts";
import { createModelHandler } from "../../src/providers/ai-sdk/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { type ModelRequest, type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { CODING_TOOLS } from "../support/agents.ts";
import { unchecked } from "../support/handlers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type AgentModel, createAgentModel } from "./agent-model.ts";
import { CHAOS_SEED, sized, tellFigures } from "./chaos-size.ts";
import { seededRandom } from "./random.ts";

const TURNS = sized({ full: 500, short: 40 });
const WINDOW = 16_000;
/** What caches with a bound of their own may take meanwhile. */
const MOST_LEAKED_MEGABYTES = 8;

setFlagsFromString("--expose-gc");
const collectGarbage: unknown = runInNewContext("gc");

function heapMegabytes(): number {
  if (typeof collectGarbage !== "function") throw new Error("Garbage cannot be collected on demand.");
  collectGarbage();
  return Math.round(process.memoryUsage().heapUsed / 1e5) / 10;
}

const hashOf = (message: Message) => createHash("sha256").update(JSON.stringify(message)).digest("base64");

/** The same store, which tells of every message that it has kept. */
function watchedStore(store: Store, told: (message: Message) => void): Store {
  return {
    ...store,
    append: async (key, records, options) => {
      const outcome = await store.append(key, records, options);
      for (const { body } of outcome.type === "appended" ? records : []) {
        const record: { readonly type: string; readonly message: Message } = JSON.parse(body);
        if (record.type === "message") told(record.message);
      }
      return outcome;
    },
  };
}

/** What the server was asked since the last look; it does not keep it, or its memory would be measured as the agent's. */
function takeRequests({ requests }: ModelServer): readonly ModelRequest[] {
  return unchecked<ModelRequest[]>(requests).splice(0);
}

const WORDS = ["lamp", "keeper", "storm", "tide", "signal", "harbour", "beacon", "fog"];

async function execute({ id, input }: { readonly id: string; readonly input: unknown }): Promise<string> {
  const path = String(Reflect.get(Object(input), "path"));
  if (path.startsWith("crash")) throw new Error(`EIO: ${path}`);
  if (path.startsWith("hang")) return new Promise(() => {});
  const number = Number(id.replace(/\D/g, ""));
  return Array.from({ length: 60 }, (_, line) => `${path}:${line} ${WORDS[(number + line) % 8]} ${number * line}`).join(
    "\n",
  );
}

/** The agent, and all that it talks to. */
interface Soak {
  readonly agent: ModernContextEngine;
  readonly model: AgentModel;
  readonly server: ModelServer;
  /** Hashes of all messages that were kept, in order. */
  readonly kept: readonly string[];
}

/** Lets the agent work; what it came to. */
async function runTurns({ agent, model, server, kept }: Soak) {
  let [requests, recoveries, largestPrompt, heapAtFifth] = [0, 0, 0, 0];
  for (let turn = 1; turn <= TURNS; turn++) {
    const result = await agent.executeTaskSafely(`Turn ${turn}: what of lamp ${turn}?`);
    expect(result, `turn ${turn}`).toMatchObject({ type: "completed" });
    recoveries += result.recoveries.length;
    const asked = takeRequests(server);
    expect(asked.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    requests += asked.length;
    largestPrompt = Math.max(largestPrompt, ...asked.map(({ promptTokens }) => promptTokens));
    if (turn === TURNS / 5) heapAtFifth = heapMegabytes();
  }
  const session = await agent.session();
  expect(validateView((await session.view()).slice(0, -1))).toEqual([]);
  expect(restoreAllMessages(await session.log()).map(hashOf)).toEqual(kept);
  expect(recoveries).toBe([...model.faults.values()].reduce((sum, count) => sum + count, 0));
  return {
    turns: TURNS,
    messages: kept.length,
    requests,
    recoveries,
    largestPrompt,
    heapAtFifth,
    heapAtEnd: heapMegabytes(),
  };
}

test(`an agent works through ${TURNS} turns of faults, and nothing overflows, breaks, leaks or is lost`, async () => {
  const model = createAgentModel(seededRandom("agent-soak", CHAOS_SEED));
  const server = await startModelServer({ contextWindow: WINDOW, reply: model.reply });
  const kept: string[] = [];
  const store = watchedStore(sqliteStore({ path: join(temporaryFolder(), "soak.db") }), (message) =>
    kept.push(hashOf(message)),
  );
  const handler = { model: "anthropic/claude-haiku-4-5", apiKey: "any", baseUrl: server.baseUrls.anthropic };
  const open = () =>
    new ModernContextEngine({
      model: createModelHandler({ ...handler, maxRetries: 0 }),
      ...{ task: "Look after the lamps of the harbour.", tools: CODING_TOOLS, executor: { execute }, store },
      ...{ contextWindow: WINDOW, limits: { toolTimeoutMs: 20 }, sleep: async () => {} },
    });
  try {
    const figures = await runTurns({ agent: open(), model, server, kept });
    // What timers and sockets of the last turn still held goes with them.
    const mostMegabytes = figures.heapAtFifth + MOST_LEAKED_MEGABYTES;
    let heapAfter = heapMegabytes();
    for (let tries = 0; tries < 60 && heapAfter >= mostMegabytes; tries++) {
      await setTimeout(1_000);
      heapAfter = heapMegabytes();
    }
    tellFigures("an agent's soak", { ...figures, heapAfter, ...Object.fromEntries(model.faults) });
    expect(figures.largestPrompt).toBeLessThan(0.75 * WINDOW);
    // A session holds its log, and an index of what is hidden; with it, all that the turns left goes.
    expect(heapAfter).toBeLessThan(mostMegabytes);
  } finally {
    await Promise.all([server.close(), store.close()]);
  }
});
