/** The part of a gateway that matches requests with sessions and folds them, without its server. */
import { WIRE_ADAPTERS } from "../../src/adapters/index.ts";
import { createModelRegistry } from "../../src/core/models/registry.ts";
import type { Store } from "../../src/core/ports/store.ts";
import type { WireAdapter } from "../../src/core/ports/wire-adapter.ts";
import { DEFAULT_CONFIGURATION } from "../../src/engine/configuration/configuration.ts";
import { createBareEngine, createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { type Activity, createActivityFeed } from "../../src/gateway/activity.ts";
import { createRecentBodies, rawRequestOf } from "../../src/gateway/bodies/recent-bodies.ts";
import { createKeyedQueue, type Marking } from "../../src/gateway/exchange/fold-turn.ts";
import { createLearnedLimits } from "../../src/gateway/exchange/limits.ts";
import { createTurns } from "../../src/gateway/exchange/turns.ts";
import { type IncomingRequest, readIncoming } from "../../src/gateway/match/incoming-request.ts";
import { createPacerPool } from "../../src/gateway/pacer.ts";
import { createSessionIndex } from "../../src/gateway/sessions/session-index.ts";
import { createSessionPool, type SessionPool } from "../../src/gateway/sessions/session-pool.ts";
import type { AgentRequest, Turn, Turns } from "../../src/gateway/turn.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";

export interface GatewayTurns {
  readonly turns: Turns;
  readonly engine: Engine;
  readonly store: Store;
  readonly activities: readonly Activity[];
  readonly incidents: readonly unknown[];
  readonly pool: SessionPool;
  /** Sends a request, has it answered, and gives the turn when all of it is over. */
  exchange(request: AgentRequest): Promise<Turn>;
}

export function gatewayTurns(
  options: {
    readonly store?: Store;
    readonly window?: number;
    readonly maxOpenSessions?: number;
    /** How requests are marked for the cache. @default not at all */
    readonly marking?: Marking;
    /** What Anthropic's adapter does otherwise. */
    readonly adapter?: Partial<WireAdapter>;
    /** Told of each session that requests are matched with, and gives the one to use instead. */
    readonly wrapSession?: (session: Session) => Session;
  } = {},
): GatewayTurns {
  const { store = memoryStore(), window, maxOpenSessions = 64 } = options;
  const registry = createModelRegistry();
  const engine = createEngine({ model: "unknown", store, registry });
  const { wrapSession = (session) => session } = options;
  const session: Engine["session"] = async (...values) => wrapSession(await engine.session(...values));
  const pool = createSessionPool({ ...engine, session }, maxOpenSessions);
  const feed = createActivityFeed();
  const activities: Activity[] = [];
  const incidents: unknown[] = [];
  feed.listen((activity) => activities.push(activity));
  const turns = createTurns({
    thresholds: () => DEFAULT_CONFIGURATION.thresholds,
    isBudgetNoticed: () => false,
    scratch: createEngine({ model: "unknown", registry }),
    truncator: () =>
      createBareEngine({ model: "unknown", registry, configuration: { strategies: { primary: "truncation" } } }),
    store,
    registry,
    enqueueFold: createKeyedQueue(),
    pool,
    feed,
    bodies: createRecentBodies(),
    pacers: createPacerPool(),
    adapters: WIRE_ADAPTERS.map((adapter) =>
      adapter.name === "anthropic" ? { ...adapter, ...options.adapter } : adapter,
    ),
    limits: createLearnedLimits(registry, window === undefined ? {} : { all: window }),
    index: createSessionIndex(),
    now: Date.now,
    incident: (_what, error) => incidents.push(error),
    marking: options.marking,
  });

  async function exchange(request: AgentRequest): Promise<Turn> {
    const turn = await turns.begin(request);
    if (turn === undefined) throw new Error("The request holds no conversation.");
    turn.end({ status: 200, isComplete: true });
    await pool.settled();
    return turn;
  }

  return { turns, engine, store, activities, incidents, pool, exchange };
}

export interface WireMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: unknown;
}

export const TOOLS: readonly unknown[] = [
  {
    name: "read",
    description: "Reads a file",
    input_schema: { type: "object", properties: { path: { type: "string" } } },
  },
];

export interface Asking {
  readonly headers?: AgentRequest["headers"];
  readonly tools?: readonly unknown[];
  readonly system?: string;
  readonly path?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A request to Anthropic's API. */
export function asking(messages: readonly WireMessage[], options: Asking = {}): AgentRequest {
  const { headers = {}, tools = TOOLS, system = "You are an agent.", path = "/v1/messages", more = {} } = options;
  const fields = { model: "claude-sonnet-4-5", max_tokens: 1_000, system, tools, messages, ...more };
  const body = Buffer.from(JSON.stringify(fields));
  return { api: "anthropic", path, headers, body, upstream: "http://upstream.test" };
}

/** The same as `asking`, as far as it is read before it is matched with a session. */
export function incomingOf(messages: readonly WireMessage[]): IncomingRequest {
  const request = asking(messages);
  const adapter = WIRE_ADAPTERS.find(({ name }) => name === request.api);
  const listPaths = adapter?.listPaths ?? [];
  const raw = rawRequestOf(request, { bodies: createRecentBodies(), sessionId: undefined, listPaths });
  const read = raw && adapter?.readRequest(raw);
  if (read === undefined) throw new Error("The request holds no conversation.");
  return readIncoming(read, { ...request, naming: { headers: [], bodyAgent: undefined } });
}

/** The conversation of an agent that reads a file in each step; `id` makes its calls its own. */
export function steps(
  id: string,
  count: number,
  {
    opening = "Fix the login test.",
    resultLength = 400,
  }: { readonly opening?: string; readonly resultLength?: number } = {},
): readonly WireMessage[] {
  const messages: WireMessage[] = [{ role: "user", content: opening }];
  for (let step = 0; step < count; step++) {
    const call = `call-${id}-${step}`;
    messages.push(
      {
        role: "assistant",
        content: [{ type: "tool_use", id: call, name: "read", input: { path: `src/${id}-${step}.ts` } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: call, content: fileText(id, step, resultLength) }],
      },
    );
  }
  return messages;
}

function fileText(id: string, step: number, length: number): string {
  const lines: string[] = [`The secret of ${id} in step ${step} is ${id}-${(step + 1) * 7919}.`];
  for (let line = 0, size = 0; size < length; line++) {
    const text = `export const value${line} = compute(${step}, "${id}", ${line * 31});`;
    size += text.length;
    lines.push(text);
  }
  return lines.join("\n");
}
