/** What holds for every request that goes through a gateway. */
import { expect } from "vitest";
import { WIRE_ADAPTERS } from "../../src/adapters/index.ts";
import { messageFingerprints } from "../../src/gateway/match/fingerprints.ts";
import { type Agent, tagOf, wordsIn } from "./gateway-agents.ts";
import { judge, type MadeRequest } from "./gateway-requests.ts";
import type { Sent, World } from "./gateway-world.ts";

/** A strict server takes what is sent, where it takes the request. */
export function expectValid({ made, body }: Sent, label: string): void {
  const { fault } = judge(made, made.body);
  if (fault !== "") throw new Error(`The agent itself is at fault: ${fault}`);
  expect(judge(made, body).fault, `${label}: what a strict server says`).toBe("");
}

/** What is not folded is the same bytes, but for a reply's allowance that had to be lowered. */
export function expectPreserved({ made, body }: Sent, label: string): void {
  const before = withAllowanceOf(body, made.before);
  const behind = withAllowanceOf(body, made.behind);
  expect(body.startsWith(before), `${label}: the bytes before the conversation`).toBe(true);
  expect(body.endsWith(behind), `${label}: the bytes behind the conversation`).toBe(true);
  const texts = new Map(made.itemTexts.map((text) => [canonical(JSON.parse(text)), text]));
  const written: readonly unknown[] = JSON.parse(`[${body.slice(before.length, body.length - behind.length)}]`);
  for (const item of written) {
    const text = texts.get(canonical(item));
    if (text !== undefined && !body.includes(text)) expect.fail(`${label}: ${text.slice(0, 200)} was written anew`);
  }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, field]) => `${key}:${canonical(field)}`).join(",")}}`;
}

const ALLOWANCE = /("(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)": ?)(\d+)/;

/** A part of what the agent sent with the allowance that went on, where that is lower: `x-palimpsest-reply-limit` tells the agent. */
function withAllowanceOf(body: string, part: string): string {
  return part.replace(ALLOWANCE, (asked, key: string, tokens: string) => {
    const given = Number.parseInt(body.slice(body.lastIndexOf(key) + key.length), 10);
    return given > 0 && given < Number(tokens) ? `${key}${given}` : asked;
  });
}

/** Nothing that another agent said is sent. */
export function expectNoOthersWords({ body }: Sent, agent: number, label: string): void {
  for (const other of tagsBeside(agent))
    expect(body.includes(other), `${label}: ${other} is in what is sent`).toBe(false);
}

/** Nothing is sent that the request does not say: nothing of other continuations, nothing that was taken back. */
export function expectOwnWords({ made, body }: Sent, { takenOut }: Agent, label: string): void {
  const said = new Set(wordsIn(made.body));
  const foreign = wordsIn(body).filter((word) => !said.has(word) && !takenOut.has(word));
  expect(foreign, `${label}: words that the request does not hold`).toEqual([]);
}

/** Nor is it kept in the session that is named. */
export async function expectUnmixed(sent: Sent, agent: number, { world, label }: Seen): Promise<void> {
  expectNoOthersWords(sent, agent, label);
  const log = sent.sessionId === undefined ? "" : await world.logText(sent.sessionId);
  for (const other of tagsBeside(agent)) {
    expect(log.includes(other), `${label}: ${other} is in the session ${sent.sessionId}`).toBe(false);
  }
}

function tagsBeside(agent: number): readonly string[] {
  return [0, 1, 2].filter((other) => other !== agent).map(tagOf);
}

export interface Seen {
  readonly world: World;
  readonly label: string;
}

/** The session's log is what the request says, message by message. */
export async function expectKept({ made, sessionId }: Sent, { world, label }: Seen): Promise<void> {
  expect(sessionId, `${label}: the session`).toBeDefined();
  const kept = await world.fingerprints(sessionId ?? "");
  expect(kept, `${label}: the log of ${sessionId}`).toEqual(fingerprintsOf(made));
}

export function fingerprintsOf({ request, body }: MadeRequest): readonly string[] {
  const adapter = WIRE_ADAPTERS.find(({ name }) => name === request.api);
  const read = adapter?.readRequest({ path: request.path, body });
  return read === undefined ? [] : messageFingerprints(read);
}

export function expectFits({ made, body, tokensSent }: Sent, most: number, label: string): void {
  expect(tokensSent, `${label}: tokens by our own count`).toBeLessThanOrEqual(most);
  expect(judge(made, body).promptTokens, `${label}: tokens as a server counts`).toBeLessThanOrEqual(most);
}

/** Goes on with the bytes of the request before, up to its last message. */
export function expectStill(before: Sent, now: Sent, label: string): void {
  const last = before.made.itemTexts.at(-1) ?? "";
  const end = before.body.lastIndexOf(last);
  const kept = before.body.slice(0, end < 0 ? before.made.before.length : end);
  if (now.madeFolds) return;
  expect(now.body.startsWith(kept), `${label}: the bytes of the request before`).toBe(true);
}
