/** The agent of thirty turns with the Claude Agent SDK: prints the rows of docs/guides/integrations.md. */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../src/gateway/index.ts";
import { createEngine, type Store } from "../../src/index.ts";
import { type ClaudeSessionStore, palimpsestSessionStore } from "../../src/integrations/claude-agent-sdk/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { type ScriptedReply, startModelServer } from "../../src/testing/index.ts";
import {
  CONTEXT_WINDOW,
  FINAL_REPLY,
  figuresOf,
  MODEL_ID,
  printFigures,
  ROOMS,
  roomLog,
  rooms,
  startThirtyTurns,
  TASK,
  type ThirtyTurns,
} from "../integrations/thirty-turns.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Asking, installClaudeAgentSdk, runClaudeAgent, SDK_TOOL_NAME } from "./claude-agent-sdk.ts";
import { asksForSummary, SUMMARY_REPLY } from "./scripted-model.ts";

const INSTALL_TIMEOUT_MS = 300_000;
const RUN_TIMEOUT_MS = 180_000;

let folder: string;
let turns: ThirtyTurns;
let gateway: Gateway;
let store: Store;
let sessionStore: ClaudeSessionStore;

beforeAll(async () => {
  folder = await installClaudeAgentSdk();
}, INSTALL_TIMEOUT_MS);

beforeEach(async () => {
  const replyAside = (request: Parameters<typeof asksForSummary>[0]) =>
    asksForSummary(request) ? SUMMARY_REPLY : undefined;
  store = memoryStore();
  sessionStore = palimpsestSessionStore({ store });
  turns = await startThirtyTurns({ toolName: SDK_TOOL_NAME, replyAside });
  const upstreams = { anthropic: turns.server.url };
  gateway = await startGateway({ port: 0, store, upstreams, windows: { all: CONTEXT_WINDOW } });
});

afterEach(async () => {
  await gateway.close();
  await turns.server.close();
});

/** A call in folders of its own. */
function callTo(url: string) {
  return { prompt: TASK, url, home: temporaryFolder(), workingFolder: temporaryFolder(), sessionStore };
}

/** The transcript that the SDK wrote into our store. */
async function transcriptOf(sessionId: string | undefined): Promise<string> {
  const { id } = (await store.list({ limit: 100 })).find(({ id }) => id.endsWith(`/${sessionId}`)) ?? { id: "" };
  const [projectKey = ""] = id.slice("claude-agent:".length).split("/");
  return JSON.stringify(await sessionStore.load({ projectKey, sessionId: String(sessionId) }));
}

test(
  "without help and without its own summaries it ends after a third of the rooms",
  async () => {
    const environment = { DISABLE_AUTO_COMPACT: "1" };
    const { ended, result } = await runClaudeAgent(folder, { ...callTo(turns.server.url), environment });
    const figures = await figuresOf(turns);
    printFigures("nothing, `DISABLE_AUTO_COMPACT=1`", ended, figures);
    expect({ ended, ...figures }).toMatchObject({ ended: "refused", refusals: 1 });
    expect(result).toContain("Prompt is too long");
    expect(figures.roomsRead).toBeLessThan(ROOMS / 2);
  },
  RUN_TIMEOUT_MS,
);

test(
  "its own summaries finish after refusals, and the facts are gone from what it sends",
  async () => {
    const { ended, compactions } = await runClaudeAgent(folder, callTo(turns.server.url));
    const figures = await figuresOf(turns);
    printFigures(`its own summaries (${compactions})`, ended, figures);
    expect({ ended, ...figures }).toMatchObject({ ended: "finished", roomsRead: ROOMS, refusals: compactions });
    expect(compactions).toBeGreaterThan(0);
    expect(figures.factsFound).toBeLessThan(ROOMS / 2);
  },
  RUN_TIMEOUT_MS,
);

test(
  "through the gateway it finishes, keeps its history whole in our store, and goes on from there elsewhere",
  async () => {
    const call = callTo(gateway.url);
    const { ended, result, compactions, sessionId } = await runClaudeAgent(folder, call);
    expect({ ended, result, compactions }).toEqual({ ended: "finished", result: FINAL_REPLY, compactions: 0 });
    const transcript = await transcriptOf(sessionId);
    for (const room of rooms()) expect(transcript).toContain(JSON.stringify(roomLog(room)).slice(1, -1));

    const engine = createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, store });
    const figures = await figuresOf(turns, await engine.session(`claude-code:${sessionId}`));
    printFigures("the gateway and `palimpsestSessionStore`", ended, figures);
    expect(figures).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });

    // A home that has never seen the session: what is sent comes from the store, and belongs to the same session of the gateway.
    const elsewhere = { ...call, prompt: "And now?", home: temporaryFolder(), resume: String(sessionId) };
    expect(await runClaudeAgent(folder, elsewhere)).toMatchObject({ sessionId, result: FINAL_REPLY, compactions: 0 });
    expect(turns.server.requests.filter(({ outcome }) => outcome === "refused")).toEqual([]);
    const conversations = (await store.list({ limit: 100 })).filter(({ id }) => id.startsWith("claude-code:"));
    expect(conversations.map(({ id }) => id)).toEqual([`claude-code:${sessionId}`]);
  },
  RUN_TIMEOUT_MS,
);

test(
  "what a person answers to a question of the agent stays in view, word for word",
  async () => {
    const answer = "Neither: keep the flat file lantern.db";
    const choices = ["SQLite", "PostgreSQL"].map((label) => ({ label, description: label }));
    const questions = [{ question: "Which store?", header: "Store", options: choices, multiSelect: false }];
    let calls = 0;
    const reply = (): ScriptedReply => {
      calls += 1;
      const asking = { id: "ask", name: "AskUserQuestion", input: { questions } };
      const reading = { id: `call_${calls}`, name: SDK_TOOL_NAME, input: { room: calls } };
      if (calls > ROOMS) return { type: "text", text: FINAL_REPLY };
      return { type: "tool-calls", calls: [calls === 1 ? asking : reading] };
    };
    const server = await startModelServer({ contextWindow: CONTEXT_WINDOW, reply });
    const small = await startGateway({
      port: 0,
      store,
      upstreams: { anthropic: server.url },
      windows: { all: CONTEXT_WINDOW },
    });
    const asking: Asking = {
      tools: ["AskUserQuestion"],
      answer: (_, input) => ({ behavior: "allow", updatedInput: { ...input, answers: { "Which store?": answer } } }),
    };
    const { ended } = await runClaudeAgent(folder, { ...callTo(small.url), asking });
    await small.close();
    await server.close();
    expect(ended).toBe("finished");
    expect(small.stats.total().folds).toBeGreaterThan(0);
    expect(server.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    // As the result of the call, not as a line that a ledger quotes of it.
    const shown = new RegExp(`"tool_result"[^{}]*${answer}[^{}]*"tool_use_id":"ask"`);
    expect(server.requests.slice(1).filter(({ rawBody }) => !shown.test(rawBody))).toEqual([]);
  },
  RUN_TIMEOUT_MS,
);

test(
  "fits the type of the SDK's option",
  async () => {
    const path = join(folder, "session-store-type");
    mkdirSync(path, { recursive: true });
    const lines = [
      `import { query, type Options } from "@anthropic-ai/claude-agent-sdk";`,
      `import { palimpsestSessionStore } from ${JSON.stringify(resolve("dist/integrations/claude-agent-sdk/index.js"))};`,
      `import { memoryStore } from ${JSON.stringify(resolve("dist/stores/memory/index.js"))};`,
      "const options: Options = { sessionStore: palimpsestSessionStore({ store: memoryStore() }) };",
      `query({ prompt: "Go on.", options });`,
    ];
    writeFileSync(join(path, "fits.mts"), lines.join("\n"));
    const flags = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2023",
    ];
    await promisify(execFile)(resolve("node_modules/.bin/tsc"), [...flags, "fits.mts"], { cwd: path }).finally(() =>
      rmSync(path, { recursive: true }),
    );
  },
  RUN_TIMEOUT_MS,
);
