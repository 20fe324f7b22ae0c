import type { Block, Message } from "../../src/core/message/message.ts";
import type { AgentRig } from "./agent-rig.ts";
import type { Fact } from "./working-folder.ts";

/** What was said in a session, as the tests compare it. */
export interface ReadLog {
  /** One per message: all that it holds. */
  readonly texts: readonly string[];
  /** Of the calls that were made, in order. */
  readonly callIds: readonly string[];
}

export async function readLog({ gateway }: AgentRig, sessionId: string): Promise<ReadLog> {
  const session = await gateway.engine.session(sessionId);
  const log = await session.log();
  return { texts: log.map(({ content }) => JSON.stringify(content)), callIds: log.flatMap(callIdsOf) };
}

/** Which session came from which, as the API tells it. */
export async function readTree({ gateway }: AgentRig): Promise<readonly TreeEntry[]> {
  const response = await fetch(`${gateway.url}/palimpsest/api/session-tree`);
  const { sessions } = (await response.json()) as { readonly sessions: readonly TreeEntry[] };
  return sessions;
}

interface TreeEntry {
  readonly id: string;
  readonly parentId?: string;
  readonly relation?: string;
}

function callIdsOf({ content }: Message): readonly string[] {
  const blocks: readonly Block[] = typeof content === "string" ? [] : content;
  return blocks.flatMap((block) => (block.type === "tool_use" && "id" in block ? [String(block.id)] : []));
}

/** Whether somebody who asks for it finds it: in what was sent last, or through the API in what is hidden. */
export async function isRecallable(rig: AgentRig, sessionId: string, { question, answer }: Fact): Promise<boolean> {
  const last = rig.server.requests.findLast(({ outcome }) => outcome === "answered");
  if (last?.rawBody.includes(answer)) return true;
  return (await recall(rig, `sessions/${encodeURIComponent(sessionId)}/recall`, question)).includes(answer);
}

/** The same, whatever session it was said in. */
export async function isRecalledAnywhere(rig: AgentRig, { question, answer }: Fact): Promise<boolean> {
  return (await recall(rig, "recall", question)).includes(answer);
}

async function recall({ gateway }: AgentRig, path: string, question: string): Promise<string> {
  const response = await fetch(`${gateway.url}/palimpsest/api/${path}?q=${encodeURIComponent(question)}&budget=3000`);
  return response.ok ? response.text() : "";
}

/** Why requests were refused, other than for their length. */
export function invalidRequests({ server }: AgentRig): readonly string[] {
  const reasons = server.requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  return reasons.filter((reason) => !TOO_LONG.test(reason));
}

const TOO_LONG = /too long|maximum context length|context window|maximum number of tokens/;
