/** An adapter that throws costs a request what it would have done, and nothing else. */
import { afterEach, describe, expect, test } from "vitest";
import { asking, gatewayTurns, steps } from "../../../test/support/gateway-turns.ts";
import { closeAll, startProxy, startUpstream, waitFor } from "../../../test/support/loopback.ts";
import { anthropicAdapter } from "../../adapters/anthropic/index.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { WireAdapter, WirePart } from "../../core/ports/wire-adapter.ts";

afterEach(closeAll);

const WINDOW = 8_000;
const LONG = steps("long", 40, { resultLength: 1_200 });

function fail(): never {
  throw new RangeError("of the secret conversation");
}

const ANSWER = JSON.stringify({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Done." }],
  usage: { input_tokens: 3_000, output_tokens: 5 },
});

/** What a request becomes, and its reply, with the adapter in a gateway's whole course of a request. */
async function forward(adapter: Partial<WireAdapter>, messages = LONG) {
  const world = gatewayTurns({ window: WINDOW, adapter });
  const upstream = await startUpstream((response) => response.end(ANSWER));
  const proxy = await startProxy(upstream.url, { turns: world.turns });
  const { body, path } = asking(messages);
  const answered = await fetch(`${proxy.url}${path}`, { method: "POST", body });
  expect(await answered.text()).toBe(ANSWER);
  await waitFor(() => world.incidents.length > 0);
  await world.pool.settled();
  return { ...world, came: body.toString(), sent: upstream.requests[0]?.body.toString() ?? "", proxy };
}

describe("following", () => {
  test("that cannot begin: the request is folded, and its reply passes", async () => {
    const { sent, incidents, proxy } = await forward({ followReply: fail });
    expect(sent).toMatch(/tokens hidden|Ledger of/);
    expect(incidents).toEqual([expect.any(RangeError)]);
    expect(proxy.incidents).toEqual([]);
  });

  test("whose usage throws: the session goes on, and nobody waits for the request any more", async () => {
    const follower = { ...anthropicAdapter.followReply(), usage: fail };
    const { sent, activities, pool, incidents } = await forward({ followReply: () => follower });
    expect(sent).toMatch(/tokens hidden|Ledger of/);
    expect(incidents.length).toBeGreaterThan(0);
    const [request] = activities.filter(({ type }) => type === "request");
    expect(request).toMatchObject({ status: 200, isComplete: true, usage: undefined });
    const id = request?.type === "request" ? (request.sessionId ?? "") : "";
    expect(pool.conversation(id).heldMessages()).toBe(0);
  });
});

describe("folding", () => {
  const isSummary = (part: WirePart) =>
    part.type === "stand-in" && isStandIn(part.message) && part.message.isSummary === true;

  test("that throws is done once more, by truncation alone", async () => {
    const writeRequest: WireAdapter["writeRequest"] = (request, parts) =>
      parts.some(isSummary) ? fail() : anthropicAdapter.writeRequest(request, parts);
    const { came, sent, incidents } = await forward({ writeRequest });
    expect(incidents).toEqual([expect.any(RangeError)]);
    expect(sent).not.toBe(came);
    expect(sent.length).toBeLessThan(came.length / 2);
    expect(sent).toContain("tokens hidden");
    expect(sent).toContain("The secret of long in step 39");
  });

  test("that throws always leaves the request as it came", async () => {
    const { came, sent, incidents } = await forward({ writeRequest: fail });
    expect(incidents).toEqual([expect.any(RangeError), expect.any(RangeError)]);
    expect(sent).toBe(came);
  });

  test("is not missed where a prompt fits: it goes as it came, whatever throws", async () => {
    const { came, sent } = await forward({ followReply: fail, writeRequest: fail }, steps("short", 2));
    expect(sent).toBe(came);
  });
});
