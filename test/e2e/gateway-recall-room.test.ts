/** Answers of the recall tool that make the prompt too long for the upstream: the agent gets a reply all the same. */
import { describe, expect, test } from "vitest";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";
import { HIDDEN_FACT, QUESTION } from "../support/hidden-fact.ts";
import {
  answerFromPrompt,
  lastBody,
  RECALL_WINDOW,
  RECALLING,
  recallCall,
  talkUntilHidden,
} from "../support/recall-talk.ts";

const WAYS = SDK_KINDS.flatMap((kind) => [
  { kind, name: kind.name, isStreaming: false, how: "whole" },
  { kind, name: kind.name, isStreaming: true, how: "streamed" },
]);

/** What the tool's calls add to a prompt at most; their answers are longer. */
const ADDED_TOKENS = 200;

describe.each(WAYS)("$name, $how", ({ kind, isStreaming }) => {
  test("a refusal of the answers as too long leaves them out, and the reply goes on", async () => {
    let asked = Number.POSITIVE_INFINITY;
    const windowNow = () =>
      Math.min(RECALL_WINDOW, (server.requests[asked]?.promptTokens ?? RECALL_WINDOW) + ADDED_TOKENS);
    const { url, server, incidents } = await startWorld({
      server: { contextWindow: windowNow, reply: answerFromPrompt },
      gateway: RECALLING,
    });
    const client = kind.open({ url });
    await talkUntilHidden(client, server);
    asked = server.requests.length;
    client.say(QUESTION);
    server.script({
      type: "tool-calls",
      text: "Let me look.",
      calls: [recallCall(), recallCall({ query: "pumps with nothing to report, the valve of the hall is closed" })],
    });
    const { text, callCount } = await client.ask(isStreaming);
    expect([text.replaceAll(/\s+/g, " ").replace(".I", ". I"), callCount]).toEqual(["Let me look. I do not know.", 0]);
    expect(server.requests.slice(asked).map(({ outcome }) => outcome)).toEqual(["answered", "refused", "answered"]);
    expect(lastBody(server)).not.toContain(HIDDEN_FACT);

    asked = Number.POSITIVE_INFINITY;
    client.say("Thanks. Is that all?");
    await client.ask(isStreaming);
    expect([server.requests.at(-1)?.outcome, incidents]).toEqual(["answered", []]);
  });
});
