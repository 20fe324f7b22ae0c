/** Streams that break off at any byte while the gateway answers calls of its recall tool in them. */
import { describe, expect, test } from "vitest";
import { type Cut, startCutter } from "../support/cut-proxy.ts";
import type { SdkKind } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { HIDDEN_FACT, QUESTION } from "../support/hidden-fact.ts";
import { answerFromPrompt, RECALL_WINDOW, RECALLING, recallCall, talkUntilHidden } from "../support/recall-talk.ts";

const CUTS_PER_REPLY = 12;

async function startTalk(kind: SdkKind) {
  const server = await startServer({ contextWindow: RECALL_WINDOW, reply: answerFromPrompt });
  const { url, state } = await startCutter(server.url);
  const { gateway, incidents } = await startGatewayBefore({ url }, RECALLING);
  const client = kind.open({ url: () => gateway.url });
  await talkUntilHidden(client, server);
  const ask = async () => {
    server.script({ type: "tool-calls", text: "Look.", calls: [recallCall()] });
    return client.ask(true);
  };
  /** What a client has of a reply that breaks off; undefined where it was told so. */
  const askCut = async (cut: Cut) => {
    const asked = client.history.length;
    state.cut = cut;
    const text = await ask().then(
      (reply) => reply.text,
      () => undefined,
    );
    state.cut = undefined;
    // Some clients take a stream without its end for a reply.
    client.history.length = asked;
    return text;
  };
  const expectSound = async () => {
    const [session] = await gateway.engine.sessions();
    expect((await (await gateway.engine.session(session?.id ?? "")).verify()).type).toBe("intact");
    expect([incidents, invalidRequests(server)]).toEqual([[], []]);
  };
  return { client, state, ask, askCut, expectSound };
}

describe.each(SDK_KINDS)("$name", (kind) => {
  test.each(["cut", "end"] as const)(
    "a stream that breaks off anywhere is told as such, and the next try is whole: %s",
    async (how) => {
      const { client, state, ask, askCut, expectSound } = await startTalk(kind);
      client.say(QUESTION);
      const whole = await ask();
      let told = 0;
      for (const [reply, { length }] of state.bodies.slice(-2).entries()) {
        for (let cut = 0; cut < CUTS_PER_REPLY; cut++) {
          client.say(`Once more, please: ${QUESTION}`);
          const afterBytes = 1 + Math.floor((cut * length) / CUTS_PER_REPLY);
          const broken = await askCut({ reply, afterBytes, how });
          if (broken === undefined) told += 1;
          else expect([broken, whole.text]).toEqual([whole.text.slice(0, broken.length), whole.text]);
          expect((await ask()).text).toContain(HIDDEN_FACT);
        }
      }
      expect(told).toBeGreaterThan(CUTS_PER_REPLY / 2);
      await expectSound();
    },
  );
});
