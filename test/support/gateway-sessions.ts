/** Sessions of agents that are made with the SDKs of providers. */

import { parseJson } from "../../src/core/json/parse-json.ts";
import type { Gateway } from "../../src/gateway/index.ts";
import type { ModelServer } from "../../src/testing/index.ts";
import { anthropicKind } from "./gateway-anthropic-client.ts";
import { chatKind } from "./gateway-chat-client.ts";
import type { SdkClient, SdkKind } from "./gateway-client.ts";
import { geminiKind } from "./gateway-gemini-client.ts";
import { responsesKind } from "./gateway-responses-client.ts";
import { factOf, toolOutput } from "./gateway-script.ts";
import type { GatewayWorld } from "./gateway-world.ts";

export const SDK_KINDS: readonly SdkKind[] = [anthropicKind, chatKind, responsesKind, geminiKind];

export interface WorkOptions {
  /** In all outputs, so that sessions can be told apart. */
  readonly name: string;
  readonly turns: number;
  /** Of each turn. @default every other turn */
  readonly isStreaming?: (turn: number) => boolean;
  /** What is done before each turn. */
  readonly beforeTurn?: (turn: number) => unknown;
  /** The outputs that were given before. @default 0 */
  readonly outputsBefore?: number;
}

/** Works on for so many turns, each of which calls tools; says how many outputs there are by then. */
export async function work(client: SdkClient, options: WorkOptions): Promise<number> {
  const { name, turns, isStreaming = (turn) => turn % 2 === 1, beforeTurn, outputsBefore = 0 } = options;
  let outputs = outputsBefore;
  for (let turn = 0; turn < turns; turn++) {
    await beforeTurn?.(turn);
    const { callCount } = await client.ask(isStreaming(turn));
    const given = Array.from({ length: callCount }, (_, index) => toolOutput(name, outputs + index));
    client.giveOutputs(given);
    outputs += callCount;
  }
  return outputs;
}

/** Has the model say that it is done. */
export async function finish(client: SdkClient, { server }: Pick<GatewayWorld, "server">): Promise<string> {
  server.script({ type: "text", text: "All is read." });
  return (await client.ask(true)).text;
}

export interface FoundFacts {
  readonly recalled: number;
  /** Still in the newest request that went upstream. */
  readonly visible: number;
  readonly lost: readonly string[];
}

/** Looks for what each output of a session said: by asking the gateway, else in what the model was shown last. */
export async function findFacts(
  { gateway, server }: { readonly gateway: Pick<Gateway, "url">; readonly server: ModelServer },
  session: { readonly id: string; readonly name: string; readonly outputs: number },
): Promise<FoundFacts> {
  const shown = server.requests.findLast(({ rawBody }) => rawBody.includes(`${session.name}-`))?.rawBody ?? "";
  const lost: string[] = [];
  let [recalled, visible] = [0, 0];
  for (let output = 0; output < session.outputs; output++) {
    const { query, text } = factOf(session.name, output);
    if ((await recall(gateway.url, session.id, query)).some((hit) => hit.includes(text))) recalled += 1;
    else if (shown.includes(text)) visible += 1;
    else lost.push(text);
  }
  return { recalled, visible, lost };
}

/** The texts that a gateway finds in a session. */
export async function recall(url: string, sessionId: string, query: string): Promise<readonly string[]> {
  const path = `sessions/${encodeURIComponent(sessionId)}/recall?q=${encodeURIComponent(query)}`;
  const { hits }: { readonly hits: readonly { readonly text: string }[] } = JSON.parse(await askApi(url, path));
  return hits.map(({ text }) => text);
}

interface LogEntry {
  readonly content: unknown;
  readonly standsFor?: unknown;
}

/** What was said in a session, message by message as JSON, without what stands for it. */
export async function readLog(url: string, sessionId: string): Promise<readonly string[]> {
  const entries: LogEntry[] = [];
  for (let after: number | undefined = -1; after !== undefined; ) {
    const path = `sessions/${encodeURIComponent(sessionId)}/log?${after === -1 ? "" : `after=${after}`}`;
    // The platform's parser would take some names for others.
    const page: LogPage = Object(parseJson(await askApi(url, path)));
    entries.push(...page.messages);
    after = page.nextAfter;
  }
  return entries.filter(({ standsFor }) => standsFor === undefined).map(({ content }) => JSON.stringify(content));
}

interface LogPage {
  readonly messages: readonly LogEntry[];
  readonly nextAfter?: number;
}

/** The ids of the sessions that a gateway has. */
export async function listSessions(url: string): Promise<readonly string[]> {
  const { sessions }: { readonly sessions: readonly { readonly id: string }[] } = JSON.parse(
    await askApi(url, "sessions"),
  );
  return sessions.map(({ id }) => id);
}

async function askApi(url: string, path: string): Promise<string> {
  const response = await fetch(`${url}/palimpsest/api/${path}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}

/** The sessions that requests belonged to, each once. */
export function sessionIds({ turns }: Pick<GatewayWorld, "turns">): readonly string[] {
  return [...new Set(turns.flatMap(({ sessionId }) => (sessionId === undefined ? [] : [sessionId])))];
}
