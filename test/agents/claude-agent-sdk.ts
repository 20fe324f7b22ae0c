import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { ClaudeSessionStore } from "../../src/integrations/claude-agent-sdk/index.ts";
import { roomLog, SYSTEM, TOOL_DESCRIPTION, TOOL_NAME } from "../integrations/thirty-turns.ts";
import { installPackage } from "./install-agent.ts";
import { isObject } from "./offered-tools.ts";
import { neutralEnvironment } from "./run-agent.ts";

/** Hundreds of megabytes, for it brings Claude Code as a program: installed for these tests, and not with ours. */
const CLAUDE_AGENT_SDK = { packageName: "@anthropic-ai/claude-agent-sdk", version: "0.3.327" };

/** What Claude Code calls a tool of an MCP server. */
export const SDK_TOOL_NAME = `mcp__rooms__${TOOL_NAME}`;
const AGENT_MODEL = "claude-haiku-4-5";

/** The part of the SDK that is used here: its own types are there only where it is installed. */
interface ClaudeAgentSdk {
  query(call: { readonly prompt: string | AsyncIterable<unknown>; readonly options: object }): AsyncIterable<unknown>;
  tool(name: string, description: string, schema: object, run: (input: { room: number }) => Promise<object>): unknown;
  createSdkMcpServer(server: { readonly name: string; readonly tools: readonly unknown[] }): unknown;
}

export interface SdkRunOptions {
  readonly prompt: string;
  /** What it asks in place of Anthropic. */
  readonly url: string;
  /** Its own, so that nothing of the person who runs the tests is read or written. */
  readonly home: string;
  readonly workingFolder: string;
  readonly sessionStore: ClaudeSessionStore;
  /** The session to go on with. @default a new one */
  readonly resume?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Tools of Claude Code that it has besides, and what a person says to each of their calls. @default none */
  readonly asking?: Asking;
}

export interface Asking {
  readonly tools: readonly string[];
  answer(tool: string, input: Readonly<Record<string, unknown>>): object;
}

export interface SdkRun {
  readonly sessionId: string | undefined;
  /** The last reply, or why the SDK gave up. */
  readonly result: string;
  readonly ended: "finished" | "refused";
  /** How often Claude Code summarised its own history. */
  readonly compactions: number;
}

/** Installs the SDK, once per version; gives its folder. */
export function installClaudeAgentSdk(): Promise<string> {
  return installPackage("claude-agent-sdk", CLAUDE_AGENT_SDK);
}

/** Runs the agent that reads rooms, made as the SDK's guides make one: with a tool of its own, and without those of Claude Code. */
export async function runClaudeAgent(folder: string, run: SdkRunOptions): Promise<SdkRun> {
  const sdk = await loadSdk(folder);
  const { prompt, url, home, workingFolder, sessionStore, resume, environment, asking } = run;
  const readRoom = sdk.tool(TOOL_NAME, TOOL_DESCRIPTION, { room: z.number() }, async ({ room }) => ({
    content: [{ type: "text", text: roomLog(room) }],
  }));
  const options = {
    model: AGENT_MODEL,
    systemPrompt: SYSTEM,
    tools: asking?.tools ?? [],
    ...(asking !== undefined && {
      canUseTool: async (...[tool, input]: Parameters<Asking["answer"]>) => asking.answer(tool, input),
    }),
    mcpServers: { rooms: sdk.createSdkMcpServer({ name: "rooms", tools: [readRoom] }) },
    allowedTools: [SDK_TOOL_NAME],
    settingSources: [],
    cwd: workingFolder,
    sessionStore,
    ...(resume !== undefined && { resume }),
    env: {
      ...neutralEnvironment(home),
      // The SDK looks for transcripts there; else it would look in the home of who runs the tests, and mirror none.
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      ...environment,
    },
  };
  if (asking === undefined) return follow(sdk.query({ prompt, options }));
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return follow(sdk.query({ prompt: openPrompt(prompt, ended), options }), end);
}

/** It asks a person only where the prompt could go on: one that is over leaves nobody to ask. */
async function* openPrompt(content: string, end: Promise<void>): AsyncIterable<unknown> {
  yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" };
  await end;
}

async function follow(messages: AsyncIterable<unknown>, whenReplied = () => {}): Promise<SdkRun> {
  let sessionId: string | undefined;
  let compactions = 0;
  let result = "";
  try {
    for await (const message of messages) {
      if (!isObject(message)) continue;
      if (typeof message.session_id === "string") sessionId = message.session_id;
      if (message.subtype === "compact_boundary") compactions += 1;
      if (message.type !== "result") continue;
      result = String(message.result);
      whenReplied();
    }
    return { sessionId, result, ended: "finished", compactions };
  } catch (error) {
    return { sessionId, result: String(error), ended: "refused", compactions };
  }
}

async function loadSdk(folder: string): Promise<ClaudeAgentSdk> {
  const path = join(folder, "node_modules", CLAUDE_AGENT_SDK.packageName, "sdk.mjs");
  const module: unknown = await import(pathToFileURL(path).href);
  if (!isClaudeAgentSdk(module)) throw new Error(`${path} has no query(), tool() and createSdkMcpServer().`);
  return module;
}

function isClaudeAgentSdk(module: unknown): module is ClaudeAgentSdk {
  const names = ["query", "tool", "createSdkMcpServer"];
  return isObject(module) && names.every((name) => typeof module[name] === "function");
}
