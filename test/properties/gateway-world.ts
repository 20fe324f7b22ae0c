/** Gateways on one store, and what is seen of them from outside. */
import { setImmediate } from "node:timers/promises";
import { isStandIn } from "../../src/core/message/effective-view.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import { readBytes } from "../../src/engine/session/requests/read-body.ts";
import type { Turn } from "../../src/gateway/turn.ts";
import { type GatewayTurns, gatewayTurns } from "../support/gateway-turns.ts";
import type { GatewayPlan } from "./gateway-plans.ts";
import type { MadeRequest } from "./gateway-requests.ts";

/** A request as it went upstream. */
export interface Sent {
  readonly made: MadeRequest;
  readonly turn: Turn;
  readonly body: string;
  readonly isUnchanged: boolean;
  readonly sessionId: string | undefined;
  readonly tokensSent: number;
  readonly madeFolds: boolean;
}

export interface World {
  /** Sends to a gateway, in turn; has it refused first where the refusal is named. */
  send(made: MadeRequest, refusal?: Refusal): Promise<Sent>;
  /** Ends one of the gateways, and starts another one. */
  restart(pick: number): void;
  sessionIds(): Promise<readonly string[]>;
  /** The first key of each message that was said. */
  fingerprints(sessionId: string): Promise<readonly string[]>;
  logText(sessionId: string): Promise<string>;
  /** Everything that is kept, also what was taken back. */
  everything(): Promise<string>;
  incidents(): readonly unknown[];
  /** All that went upstream. */
  sent(): readonly Sent[];
  /** The requests of a session as they are reproduced. */
  reproduced(sessionId: string): Promise<readonly string[]>;
}

export interface WorldStores {
  readonly open: () => Store;
  /** For looking at what is kept. */
  readonly openToRead: () => Store;
}

export function createWorld({ gatewayCount, window, maxOpenSessions }: GatewayPlan, stores: WorldStores): World {
  const { open, openToRead } = stores;
  const start = () => gatewayTurns({ store: open(), window, maxOpenSessions });
  const gateways = Array.from({ length: gatewayCount }, start);
  const ended: GatewayTurns[] = [];
  let turnCount = 0;
  const readStore = openToRead();
  const engine = createEngine({ model: "unknown", store: readStore });
  const allSent: Sent[] = [];

  async function spoken(sessionId: string) {
    const session = await engine.session(sessionId);
    return (await session.log()).filter((message) => !isStandIn(message));
  }

  return {
    send: async (made, refusal) => {
      const gateway = gateways[turnCount++ % gateways.length];
      if (gateway === undefined) throw new Error("There is no gateway.");
      const sent = await send(gateway, made, refusal);
      await gateway.pool.settled();
      allSent.push(sent);
      return sent;
    },
    restart: (pick) => {
      const place = pick % gateways.length;
      ended.push(...gateways.splice(place, 1, start()));
    },
    sessionIds: async () => (await engine.sessions({ limit: 10_000 })).map(({ id }) => id),
    fingerprints: async (id) => (await spoken(id)).map(({ keys }) => keys?.[0] ?? ""),
    logText: async (id) => JSON.stringify(await spoken(id)),
    everything: async () => {
      const ids = (await engine.sessions({ limit: 10_000 })).map(({ id }) => id);
      return JSON.stringify(await Promise.all(ids.map(async (id) => (await engine.session(id)).export())));
    },
    sent: () => allSent,
    reproduced: async (id) => {
      const events = await (await engine.session(id)).events();
      const place = { store: readStore, sessionKey: (await readStore.open(id)).key };
      const bodies = events.flatMap((event) => (event.type === "request" && event.body ? [event.body] : []));
      const texts = bodies.map(async (body) => new TextDecoder().decode(await readBytes(place, body)));
      return Promise.all(texts);
    },
    incidents: () => [...gateways, ...ended].flatMap((gateway) => gateway.incidents),
  };
}

type Refusal = { readonly limitTokens: number | undefined };

async function send(gateway: GatewayTurns, made: MadeRequest, refusal: Refusal | undefined): Promise<Sent> {
  const before = gateway.activities.length;
  const { turn, body } =
    refusal === undefined ? await sendOnce(gateway, made) : await sendTwice(gateway, made, refusal);
  for (let turns = 0; turns < 20; turns++) await setImmediate();
  const headers = turn.headers();
  const own = gateway.activities.slice(before);
  return {
    made,
    turn,
    body,
    isUnchanged: body === made.body,
    sessionId: headers["x-palimpsest-session"],
    tokensSent: Number(headers["x-palimpsest-tokens-sent"]),
    madeFolds: own.some((activity) => activity.type === "request" && activity.foldIds.length > 0),
  };
}

async function sendOnce(gateway: GatewayTurns, { request }: MadeRequest) {
  const turn = await gateway.exchange(request);
  return { turn, body: turn.body ?? String(request.body) };
}

/** The upstream says that it is too long, and is sent what is shorter. */
async function sendTwice(gateway: GatewayTurns, { request }: MadeRequest, { limitTokens }: Refusal) {
  const turn = await gateway.turns.begin(request);
  if (turn === undefined) throw new Error("A request with a conversation was not read.");
  const limit = limitTokens === undefined ? {} : { limitTokens };
  const shorter = await turn.shorten({ by: "tokens", ...limit });
  turn.end({ status: 200, isComplete: true });
  return { turn, body: shorter ?? turn.body ?? String(request.body) };
}
