/** Thoughts that a provider signed or sealed, around calls of the gateway's recall tool: they go back as they came, in their places. */
import { describe, expect, test } from "vitest";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";
import { QUESTION } from "../support/hidden-fact.ts";
import {
  answerFromPrompt,
  itemsOf,
  RECALL_WINDOW,
  RECALLING,
  readFile,
  recallCall,
  talkUntilHidden,
} from "../support/recall-talk.ts";

/** What follows a thought, by how each API signs it: Gemini signs calls, and its thoughts are not sent back. */
const SEALS: Readonly<Record<string, RegExp>> = {
  anthropic: /"signature":"[^"]+".*?"type":"tool_use"/gs,
  "openai-responses": /"encrypted_content":"[^"]+".*?"type":"function_call"/gs,
  gemini: /"functionCall":\{[^}]*"name":"recall".*?"thoughtSignature":"[^"]+"/gs,
};

const WAYS = SDK_KINDS.filter(({ api }) => api in SEALS).flatMap((kind) =>
  [false, true].map((isStreaming) => ({ kind, name: kind.name, isStreaming })),
);

describe.each(WAYS)("$name, streamed: $isStreaming", ({ kind, isStreaming }) => {
  test("what was signed comes back, and later requests repeat it byte for byte", async () => {
    const { server, url, incidents } = await startWorld({
      server: { contextWindow: RECALL_WINDOW, reply: answerFromPrompt },
      gateway: RECALLING,
    });
    const fields = kind.api === "anthropic" ? { thinking: { type: "enabled", budget_tokens: 1_024 } } : {};
    const client = kind.open({ url, fields });
    await talkUntilHidden(client, server);
    client.say(QUESTION);
    server.script(
      { type: "tool-calls", reasoning: "Where was that?", text: "A moment.", calls: [recallCall()] },
      { type: "tool-calls", reasoning: "There it is.", calls: [recallCall(), recallCall({ query: "greased" })] },
      { type: "tool-calls", reasoning: "Now the file.", calls: [recallCall(), readFile("c.txt")] },
    );
    expect((await client.ask(isStreaming)).callCount).toBe(1);
    client.giveOutputs(["nothing"]);
    await client.ask(isStreaming);
    const items = itemsOf(kind, server.requests.at(-1) ?? expect.fail());
    const since = items.slice(items.findIndex((item) => item.includes(QUESTION)));
    expect(since.join("\n").match(SEALS[kind.api] ?? expect.fail())).toHaveLength(3);
    client.say("Thanks.");
    await client.ask(!isStreaming);
    const later = itemsOf(kind, server.requests.at(-1) ?? expect.fail());
    expect(later.slice(0, items.length)).toEqual(items);
    expect(invalidRequests(server)).toEqual([]);
    expect(incidents).toEqual([]);
  });
});
