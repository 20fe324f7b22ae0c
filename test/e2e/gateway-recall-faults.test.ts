/** What fails in our own part of the gateway's recall tool: the agent gets a valid reply all the same, and it is counted. */
import { describe, expect, test } from "vitest";
import { WIRE_ADAPTERS } from "../../src/adapters/index.ts";
import type { ReplyRelay, WireRecall } from "../../src/core/ports/wire-recall.ts";
import { UNANSWERED_CALL } from "../../src/core/recall/tool-definition.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import type { SdkClient } from "../support/gateway-client.ts";
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

/**
 * What the agent sees of a step: an answer from what was recalled; a text without it; a line that says that the call was not answered; the call
 * itself, as of a tool that it does not have; or that the stream was cut. A reply without any text or call is none of these.
 */
type Seen = "recalled" | "text" | "unanswered" | "call" | "cut";

interface Fault {
  readonly what: string;
  readonly breaking: (recall: WireRecall) => WireRecall;
  /** What is seen of the reply that calls the tool, by how it comes. */
  readonly whole: Seen;
  readonly streamed: Seen;
  /** Where it is not the same on all APIs. */
  readonly streamedOn?: Readonly<Record<string, Seen>>;
}

const FAULTS: readonly Fault[] = [
  { what: "offer", breaking: (recall) => ({ ...recall, offer: BROKEN }), whole: "call", streamed: "call" },
  {
    what: "extend",
    breaking: (recall) => ({ ...recall, extend: BROKEN }),
    whole: "unanswered",
    streamed: "unanswered",
  },
  {
    what: "results",
    breaking: (recall) => ({ ...recall, results: BROKEN }),
    whole: "unanswered",
    streamed: "unanswered",
  },
  { what: "expand", breaking: (recall) => ({ ...recall, expand: BROKEN }), whole: "recalled", streamed: "recalled" },
  { what: "relay", breaking: (recall) => ({ ...recall, relay: BROKEN }), whole: "call", streamed: "call" },
  { what: "push", breaking: relaying({ push: BROKEN }), whole: "call", streamed: "call" },
  {
    what: "end",
    breaking: relaying({ end: BROKEN }),
    whole: "call",
    streamed: "unanswered",
    // The last event has all of the output.
    streamedOn: { "openai-responses": "call" },
  },
  { what: "end and abandon", breaking: relaying({ end: BROKEN, abandon: BROKEN }), whole: "call", streamed: "cut" },
  { what: "close", breaking: relaying({ close: BROKEN }), whole: "recalled", streamed: "recalled" },
  { what: "visible", breaking: relaying({ visible: BROKEN }), whole: "recalled", streamed: "recalled" },
];

/** One step of the agent, sent once. */
async function step(client: SdkClient, isStreaming: boolean): Promise<Seen> {
  const reply = await client.ask(isStreaming).catch(String);
  if (typeof reply === "string") {
    // Nothing that a provider says: the reply has no end.
    expect(reply).toMatch(CUT);
    return "cut";
  }
  if (reply.callCount > 0) return "call";
  expect(reply.text).not.toBe("");
  if (reply.text.includes(UNANSWERED_CALL)) return "unanswered";
  return reply.text.includes(HIDDEN_FACT) ? "recalled" : "text";
}

const CUT = /terminated|premature|aborted|socket|ECONNRESET|connection error|fetch failed/i;

describe.each(SDK_KINDS)("$name", (kind) => {
  test.each(FAULTS)("where $what fails, the agent sees what it can go on from", async (fault) => {
    const adapters = WIRE_ADAPTERS.map(({ recall, ...adapter }) => ({
      ...adapter,
      recall: recall && fault.breaking(recall),
    }));
    const server = await startServer({ contextWindow: RECALL_WINDOW, reply: answerFromPrompt });
    const { gateway, incidents } = await startGatewayBefore(server, { ...RECALLING, adapters });
    const client = kind.open({ url: () => gateway.url });
    await talkUntilHidden(client, server);
    const streamed = fault.streamedOn?.[kind.api] ?? fault.streamed;
    for (const [isStreaming, text] of [false, true].flatMap((each) => [
      [each, "A moment."] as const,
      [each, ""] as const,
    ])) {
      client.say(QUESTION);
      server.script({ type: "tool-calls", text, calls: [recallCall()] });
      const seen = await step(client, isStreaming);
      expect([isStreaming, text, seen]).toEqual([isStreaming, text, isStreaming ? streamed : fault.whole]);
      // Clients send a step again that was cut; the script has no call for it.
      if (seen === "cut") expect(await step(client, isStreaming)).toBe("text");
      if (seen === "call") client.giveOutputs(["There is no such tool."]);
      else client.say("Go on.");
      // What was recalled stands in the next request only where it could be kept, and be put back.
      expect(await step(client, isStreaming)).toBe(fault.what === "close" ? "recalled" : "text");
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
