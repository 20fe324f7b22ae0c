/** Replies with a call of the recall tool that break off behind any of their bytes: nothing half is answered, and nothing is shown that was not said. */
import { expect, test } from "vitest";
import { WIRE_ADAPTERS } from "../../src/adapters/index.ts";
import type { WireRecall } from "../../src/core/ports/wire-recall.ts";
import { UNANSWERED_CALL } from "../../src/core/recall/tool-definition.ts";
import { startCutter } from "../support/cut-proxy.ts";
import type { SdkKind } from "../support/gateway-client.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startServer } from "../support/gateway-world.ts";
import { recallCall } from "../support/recall-talk.ts";

/** Two replies as the provider sends them: one that calls the tool, and the one that follows. */
async function repliesOf(kind: SdkKind, isStreaming: boolean, text = "Look."): Promise<readonly [string, string]> {
  const server = await startServer();
  const { url, state } = await startCutter(server.url);
  const client = kind.open({ url: () => url });
  client.say("Which seal number has pump 17?");
  server.script({ type: "tool-calls", text, calls: [recallCall()] }, { type: "text", text: "It is KX-1. Ünïcode 🎈" });
  await client.ask(isStreaming);
  client.giveOutputs(["pump 17: seal number KX-1"]);
  await client.ask(isStreaming);
  const [first = "", second = ""] = state.bodies.map((body) => body.toString());
  return [first, second];
}

/** What the client has when the last of these replies ends, and what is made of that reply. */
function relayed(recall: WireRecall, replies: readonly string[]) {
  const relay = recall.relay();
  const ended = replies.map((reply) => ({ shown: relay.push(reply), reply: relay.end() }));
  return { shown: ended.map(({ shown }) => shown).join(""), reply: ended.at(-1)?.reply };
}

test.each(SDK_KINDS)("$name", async (kind) => {
  const recall = WIRE_ADAPTERS.find(({ name }) => name === kind.api)?.recall ?? expect.fail();
  const [first, second] = await repliesOf(kind, true);
  const whole = relayed(recall, [first]);
  expect(whole.reply).toMatchObject({ isOver: false, isWhole: true, calls: [{ input: expect.anything() }] });
  const both = relayed(recall, [first, second]);
  expect(both.reply).toMatchObject({ isOver: true, isWhole: true, calls: [] });
  for (let length = 1; length < first.length; length++) {
    const { shown, reply } = relayed(recall, [first.slice(0, length)]);
    expect([length, whole.shown.startsWith(shown)]).toEqual([length, true]);
    // A call is answered only where all of it came: behind it, only the end of the stream may be missing.
    const isAnswered = reply?.isOver === false;
    expect([length, reply?.calls]).toEqual([length, isAnswered ? whole.reply?.calls : []]);
    if (isAnswered) expect(reply.isWhole).toBe(true);
  }
  for (let length = 1; length < second.length; length++) {
    const { shown, reply } = relayed(recall, [first, second.slice(0, length)]);
    expect([length, both.shown.startsWith(shown)]).toEqual([length, true]);
    expect([length, reply?.calls, reply?.isOver]).toEqual([length, [], true]);
  }
});

const COMMENT = ": processing\n\n";

/** A stream of a server that keeps the connection alive by comments, as some do until the model speaks. */
function withComments(reply: string): string {
  return COMMENT + reply.replaceAll(/\r?\n\r?\n/g, (end) => `${end}${COMMENT}`);
}

test.each(SDK_KINDS)("$name: comments between events are passed on, and change nothing else", async (kind) => {
  const recall = WIRE_ADAPTERS.find(({ name }) => name === kind.api)?.recall ?? expect.fail();
  const [calling, last] = await repliesOf(kind, true);
  const replies = [calling, calling, last];
  const [plain, commented] = [replies, replies.map(withComments)].map((streams) => {
    const relay = recall.relay();
    const steps = streams.map((stream) => ({ shown: relay.push(stream).replaceAll(COMMENT, ""), reply: relay.end() }));
    return { steps, end: relay.close().replaceAll(COMMENT, ""), visible: relay.visible() };
  });
  expect(commented).toEqual(plain);
});

/** What a reply with a call says of its end, and what it says where its tokens ran out. */
const OUT_OF_TOKENS: Readonly<Record<string, readonly [string, string]>> = {
  anthropic: ['"stop_reason":"tool_use"', '"stop_reason":"max_tokens"'],
  "openai-chat": ['"finish_reason":"tool_calls"', '"finish_reason":"length"'],
  "openai-responses": ['"status":"completed"', '"status":"incomplete"'],
  gemini: ['"finishReason":"STOP"', '"finishReason":"MAX_TOKENS"'],
};

test.each(SDK_KINDS.flatMap((kind) => [true, false].map((isStreaming) => ({ kind, name: kind.name, isStreaming }))))(
  "$name, streamed: $isStreaming: a call that ran out of tokens leaves a line, for an empty reply could not be sent back",
  async ({ kind, isStreaming }) => {
    const recall = WIRE_ADAPTERS.find(({ name }) => name === kind.api)?.recall ?? expect.fail();
    const [whole] = await repliesOf(kind, isStreaming, "");
    const [said = "", cut = ""] = OUT_OF_TOKENS[kind.api] ?? [];
    expect(whole).toContain(said);
    const relay = recall.relay();
    const shown = relay.push(whole.replaceAll(said, cut));
    expect(relay.end()).toMatchObject({ calls: [], isOver: true, items: [expect.stringContaining(UNANSWERED_CALL)] });
    expect(shown + relay.close()).toContain(UNANSWERED_CALL);
    expect(relay.visible()).toEqual([expect.stringContaining(UNANSWERED_CALL)]);
  },
);
