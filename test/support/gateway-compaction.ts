import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import type { ScriptedReply } from "../../src/testing/index.ts";
import { type GatewayWorld, startWorld } from "./gateway-world.ts";

export type BetaMessage = Anthropic.Beta.BetaMessageParam;
export type Item = OpenAI.Responses.ResponseInputItem;

export const TOOLS = [{ name: "read", input_schema: { type: "object" as const } }];
export const FACT = "The port of the staging server is 4711.";
/** Longer than the least trigger of Anthropic's compaction. */
export const LONG: BetaMessage = { role: "user", content: `${FACT} ${"word ".repeat(51_000)}` };
export const MODEL = "claude-opus-4-6";

export const ask = (content: string) => ({ role: "user" as const, content });
export const lastBody = ({ server }: Pick<GatewayWorld, "server">) => server.requests.at(-1)?.rawBody;
export const lastSent = ({ sent }: Pick<GatewayWorld, "sent">) => sent.at(-1)?.body;

const DONE: ScriptedReply = { type: "text", text: "Done." };

/** A gateway before a server that compacts, the official clients of both providers, and the only session that may come of it. */
export async function startCompactingWorld(contextWindow?: number, gateway: Partial<GatewayOptions> = {}) {
  const store = memoryStore();
  const world = await startWorld({
    server: { reply: () => DONE, ...(contextWindow && { contextWindow }) },
    gateway: { store, ...(contextWindow && { windows: { all: contextWindow } }), ...gateway },
  });
  const client = { apiKey: "key", maxRetries: 0, logLevel: "off" } as const;
  const onlyId = async () => {
    const [only, ...others] = (await store.list({})).map(({ id }) => id);
    expect(others).toEqual([]);
    return only ?? "";
  };
  return {
    ...world,
    store,
    anthropic: new Anthropic({ baseURL: world.url(), ...client }),
    openai: new OpenAI({ baseURL: `${world.url()}/v1`, ...client }),
    /** As the running gateway has it. */
    live: async () => world.gateway.engine.session(await onlyId()),
    /** As the store has it once the gateway is closed. */
    session: async () => {
      await world.gateway.close();
      return createEngine({ model: MODEL, store }).session(await onlyId());
    },
  };
}
