import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type Gateway, startGateway } from "../../src/gateway/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import type { Agent } from "./agent.ts";
import { type AgentRun, runAgent } from "./run-agent.ts";
import { type ScriptedTask, scriptedModel } from "./scripted-model.ts";
import { type Recorder, startRecorder } from "./start-recorder.ts";
import { makeWorkingFolder, type WorkingFolder } from "./working-folder.ts";

/** A gateway between agents and a strict model server; gone after the test. */
export interface AgentRig {
  readonly server: ModelServer;
  readonly gateway: Gateway;
  /** A place for one agent: its home, its notes, and a recorder between it and the gateway. */
  seat(agent: Agent, options: SeatOptions): Promise<Seat>;
  /** The ids of the sessions that are kept. */
  sessionIds(): Promise<readonly string[]>;
}

export interface RigOptions {
  /** Of the model server. */
  readonly contextWindow: number;
  /** Whether the gateway is told the window, or has to learn it. */
  readonly isWindowTold: boolean;
}

export interface SeatOptions {
  readonly executable: string;
  /** Tells its notes and its key from those of others. */
  readonly owner: string;
  readonly notes: number;
  /** Whether it talks to the model server without a gateway. @default false */
  readonly isDirect?: boolean;
  /** With programs that it would download else. @default none */
  readonly programFolders?: readonly string[];
}

export interface Seat extends WorkingFolder {
  readonly recorder: Recorder;
  run(options: SeatRunOptions): Promise<AgentRun>;
  /** The sessions that the gateway says the agent's requests belong to. */
  sessionIds(): readonly string[];
}

export interface SeatRunOptions extends Partial<ScriptedTask> {
  readonly prompt?: string;
  readonly isContinued?: boolean;
  readonly believedWindowTokens?: number | undefined;
  readonly isPlanning?: boolean;
}

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const PROMPT = "Read every note in this folder, one after the other, and tell me when you are done.";

export async function openRig({ contextWindow, isWindowTold }: RigOptions): Promise<AgentRig> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-agents-"));
  const model = scriptedModel();
  const server = await startModelServer({ contextWindow, reply: model.reply });
  const { url } = server;
  const store = memoryStore();
  const gateway = await startGateway({
    port: 0,
    store,
    upstreams: { anthropic: url, openai: url, gemini: url },
    windows: isWindowTold ? { all: contextWindow } : undefined,
  });
  endings.push(async () => {
    await gateway.close();
    await server.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    server,
    gateway,
    async seat(agent, { executable, owner, notes, isDirect = false, programFolders = [] }) {
      const home = join(folder, owner, "home");
      mkdirSync(home, { recursive: true });
      const working = makeWorkingFolder(join(folder, owner, "notes"), { notes, owner });
      const recorder = await startRecorder(isDirect ? server.url : gateway.url, { marksExchanges: true });
      endings.push(recorder.close);
      const apiKey = `key-of-${owner}`;
      return {
        ...working,
        recorder,
        run({ prompt = PROMPT, isContinued = false, isPlanning = false, believedWindowTokens, ...task }) {
          model.give(apiKey, { commands: working.commands, ...task });
          const asked = { prompt, isContinued, isPlanning, believedWindowTokens, modelId: agent.modelId };
          const launch = { ...asked, apiKey, home, url: recorder.url };
          return runAgent(agent, { ...launch, executable, programFolders, workingFolder: working.path });
        },
        sessionIds: () => sessionIdsIn(recorder),
      };
    },
    sessionIds: async () => (await store.list()).map(({ id }) => id),
  };
}

function sessionIdsIn({ exchanges }: Recorder): readonly string[] {
  const named = exchanges.map(({ replyHeaders }) => replyHeaders["x-palimpsest-session"]);
  return [...new Set(named.filter((each) => typeof each === "string"))];
}
