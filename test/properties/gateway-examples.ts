/** What the examples at a gateway ask of it. */
import { setImmediate } from "node:timers/promises";
import { isStandIn } from "../../src/core/message/effective-view.ts";
import type { Turn } from "../../src/gateway/turn.ts";
import { asking, type GatewayTurns, type WireMessage } from "../support/gateway-turns.ts";

export const MINE = { "x-palimpsest-session": "mine" };

export const asks = (content: string): WireMessage => ({ role: "user", content });
export const replies = (content: string): WireMessage => ({ role: "assistant", content });

/** Sends messages under a name, and resolves when all of it is over. */
export function sendMine(gateway: GatewayTurns, messages: readonly WireMessage[]): Promise<Turn> {
  return gateway.exchange(asking(messages, { headers: MINE }));
}

export function sessionOf(turn: Turn | undefined): string {
  return turn?.headers()["x-palimpsest-session"] ?? "";
}

export async function sessionIds({ engine }: GatewayTurns): Promise<readonly string[]> {
  return (await engine.sessions({ limit: 1_000 })).map(({ id }) => id).toSorted();
}

/** What was said in a session, as text. */
export async function logTexts({ engine }: GatewayTurns, id: string): Promise<readonly string[]> {
  const log = await (await engine.session(id)).log();
  return log.filter((message) => !isStandIn(message)).map(({ content }) => JSON.stringify(content));
}

/** What goes on behind a request comes to its end. */
export async function quiet(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await setImmediate();
}
