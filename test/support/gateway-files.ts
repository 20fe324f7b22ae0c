/** A gateway that keeps the files of an agent, with a real folder and real git. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { workspaceCheckpoints } from "../../src/checkpoints/index.ts";
import type { WorkspaceFiles } from "../../src/core/ports/workspace.ts";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import type { ModelRequest, ScriptedReply } from "../../src/testing/index.ts";
import { openAnthropic } from "./gateway-anthropic-client.ts";
import type { SdkClient } from "./gateway-client.ts";
import { type GatewayWorld, startWorld } from "./gateway-world.ts";
import { type TestWorkspace, testWorkspace } from "./workspaces.ts";

export interface FilesWorld extends GatewayWorld {
  readonly workspace: TestWorkspace;
  /** What the gateway logged. */
  readonly lines: readonly string[];
}

export interface FilesWorldOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly reply?: (request: ModelRequest) => ScriptedReply;
  /** The model's. @default the server's */
  readonly contextWindow?: number;
  readonly gateway?: Partial<GatewayOptions>;
  /** The git program. @default that of the PATH */
  readonly git?: (outside: string) => string;
  /** Ends every git. */
  readonly signal?: AbortSignal;
  /** Where checkpoints go. @default beside the files */
  readonly storageFolder?: string;
  /** What the gateway is given instead of the files of a session. */
  readonly wrap?: (files: WorkspaceFiles) => WorkspaceFiles;
}

const TEXT: ScriptedReply = { type: "text", text: "Done." };

export async function startFilesWorld(options: FilesWorldOptions = {}): Promise<FilesWorld> {
  const { files = { "notes.txt": "empty\n" }, reply = () => TEXT, wrap = (kept) => kept } = options;
  const workspace = testWorkspace(files);
  const { storageFolder = workspace.storageFolder, signal } = options;
  const lines: string[] = [];
  const git = options.git?.(workspace.outside);
  const workspaceOf = (sessionId: string) =>
    wrap(
      workspaceCheckpoints({
        workspace: workspace.folder,
        storageFolder: join(storageFolder, encodeURIComponent(sessionId)),
        ...(git === undefined ? {} : { git }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const { contextWindow } = options;
  const server = { reply, ...(contextWindow === undefined ? {} : { contextWindow }) };
  const log = (line: string) => void lines.push(line);
  const world = await startWorld({ server, gateway: { workspaceOf, log, ...options.gateway } });
  return { ...world, workspace, lines };
}

/** A program in a folder that is started instead of git. */
export function fakeGit(outside: string, script: string): string {
  const path = join(outside, "git");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

export function clientOf({ url }: Pick<GatewayWorld, "url">, session: string, headers = {}): SdkClient {
  return openAnthropic({ url, headers: { "x-palimpsest-session": session, ...headers } });
}

/** One turn of a person: the agent is told something, answers, and writes its file because of it. */
export async function turn({ workspace }: FilesWorld, client: SdkClient, said: string, file = "notes.txt") {
  client.say(said);
  const { headers } = await client.ask(true);
  writeFileSync(join(workspace.folder, file), `${said}\n`);
  return headers;
}

export function noted({ workspace }: FilesWorld, file = "notes.txt"): string | undefined {
  const path = join(workspace.folder, file);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

/** Asks the gateway's API. */
export async function askApi({ gateway }: Pick<GatewayWorld, "gateway">, path: string, body?: unknown) {
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`${gateway.url}/palimpsest/api${path}`, body === undefined ? {} : sent);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like
  return { status: response.status, body: (await response.json()) as any };
}

/** The turns whose files are kept, the newest first. */
export async function keptTurns({ gateway }: Pick<GatewayWorld, "gateway">, session: string) {
  const opened = await gateway.engine.session(session);
  return (await opened.checkpoints()).filter(({ reason }) => reason === "turn");
}

/** Waits for something that happens by itself. */
export async function eventually(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: 300_000 });
}
