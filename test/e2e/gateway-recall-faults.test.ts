/** What fails in our own part of the gateway's recall tool: the agent gets a valid reply all the same, and it is counted. */
import { describe, expect, test } from "vitest";
import { WIRE_ADAPTERS } from "../../src/adapters/index.ts";
import type { ReplyRelay, WireRecall } from "../../src/core/ports/wire-recall.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { HIDDEN_FACT, QUESTION } from "../support/hidden-fact.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import {
  answerFromPrompt,
  itemsOf,
  RECALL_WINDOW,
  RECALLING,
  recallCall,
  talkUntilHidden,
} from "../support/recall-talk.ts";

const BROKEN = (): never => {
  throw new Error("broken");
};

const relaying =
  (broken: Partial<ReplyRelay>) =>
  (recall: WireRecall): WireRecall => ({ ...recall, relay: () => ({ ...recall.relay(), ...broken }) });

const FAULTS: readonly (readonly [string, (recall: WireRecall) => WireRecall])[] = [
  ["offer", (recall) => ({ ...recall, offer: BROKEN })],
  ["extend", (recall) => ({ ...recall, extend: BROKEN })],
  ["results", (recall) => ({ ...recall, results: BROKEN })],
  ["expand", (recall) => ({ ...recall, expand: BROKEN })],
  ["relay", (recall) => ({ ...recall, relay: BROKEN })],
  ["push", relaying({ push: BROKEN })],
  ["end", relaying({ end: BROKEN })],
  ["end and abandon", relaying({ end: BROKEN, abandon: BROKEN })],
  ["close", relaying({ close: BROKEN })],
  ["visible", relaying({ visible: BROKEN })],
];

describe.each(SDK_KINDS)("$name", (kind) => {
  test.each(FAULTS)("where %s fails, replies are valid, and the conversation goes on", async (_, breaking) => {
    const adapters = WIRE_ADAPTERS.map(({ recall, ...adapter }) => ({
      ...adapter,
      recall: recall && breaking(recall),
    }));
    const server = await startServer({ contextWindow: RECALL_WINDOW, reply: answerFromPrompt });
    const { gateway, incidents } = await startGatewayBefore(server, { ...RECALLING, adapters });
    const client = kind.open({ url: () => gateway.url });
    await talkUntilHidden(client, server);
    for (const isStreaming of [false, true]) {
      client.say(QUESTION);
      server.script({ type: "tool-calls", text: "A moment.", calls: [recallCall()] });
      // A stream whose end is lost is no valid reply: clients send such a step again.
      const reply = await client.ask(isStreaming).catch(() => client.ask(isStreaming));
      if (reply.callCount > 0) client.giveOutputs(["There is no such tool."]);
      else client.say("Go on.");
      await client.ask(isStreaming).catch(() => client.ask(isStreaming));
    }
    expect(incidents.length).toBeGreaterThan(0);
    expect(invalidRequests(server)).toEqual([]);
  });

  test("while the store fails, what was recalled is known to this gateway", async () => {
    let isDown = false;
    const store = interceptStore(memoryStore(), { before: () => isDown && BROKEN() });
    const server = await startServer({ contextWindow: RECALL_WINDOW, reply: answerFromPrompt });
    const { gateway } = await startGatewayBefore(server, { ...RECALLING, store });
    const client = kind.open({ url: () => gateway.url });
    await talkUntilHidden(client, server);
    isDown = true;
    client.say(QUESTION);
    server.script({ type: "tool-calls", calls: [recallCall()] });
    expect((await client.ask(true)).text).toBe(`It is ${HIDDEN_FACT}.`);
    const items = itemsOf(kind, server.requests.at(-1) ?? expect.fail());
    client.say("Thanks.");
    await client.ask(false);
    expect(itemsOf(kind, server.requests.at(-1) ?? expect.fail()).slice(0, items.length)).toEqual(items);
    expect(invalidRequests(server)).toEqual([]);
    isDown = false;
  });
});
