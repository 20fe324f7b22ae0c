import { afterEach, expect, test } from "vitest";
import { closeAll, startProxy, startUpstream, waitFor, watchedTurns } from "../../../test/support/loopback.ts";

afterEach(closeAll);

/** A proxy before an upstream whose reply comes step by step, with an end that waits until it is released. */
async function heldReply(script: { readonly status?: number; readonly isCut?: boolean } = {}) {
  const { status = 200, isCut = false } = script;
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const turns = watchedTurns({ beforeEnd: () => until });
  const upstream = await startUpstream(async (response) => {
    response.writeHead(status, { "content-type": "text/event-stream" });
    for (const [index, word] of ["one", "two", "three"].entries()) {
      response.write(word);
      // Each is a chunk of its own.
      await waitFor(() => turns.told.length > index);
    }
    if (isCut) response.destroy();
    else response.end();
  });
  const proxy = await startProxy(upstream.url, { turns });
  const reply = await fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}" });
  let text = "";
  const read = (async () => {
    for await (const chunk of reply.body ?? []) text += Buffer.from(chunk).toString();
  })();
  return { turns, release, read, text: () => text };
}

test("all but the newest chunk is passed on at once, and the end when it may be", async () => {
  const { turns, release, read, text } = await heldReply();
  await waitFor(() => text() === "onetwo" && turns.told.length === 3);
  expect(turns.outcomes).toEqual([]);
  release();
  await read;
  expect(text()).toBe("onetwothree");
  expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: true });
});

test("a reply that breaks off waits for nothing, and is cut for the client too", async () => {
  const { read, text } = await heldReply({ isCut: true });
  await expect(read).rejects.toThrow();
  expect(text()).toBe("onetwothree");
});

test("what is no answer waits for nothing", async () => {
  const { read, text } = await heldReply({ status: 529 });
  await read;
  expect(text()).toBe("onetwothree");
});

test("a client that goes away while the end waits ends the turn", async () => {
  const turns = watchedTurns({ beforeEnd: () => new Promise(() => {}) });
  const upstream = await startUpstream((response) => response.end("all of it"));
  const proxy = await startProxy(upstream.url, { turns });
  const client = new AbortController();
  const reply = await fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}", signal: client.signal });
  expect(reply.status).toBe(200);
  client.abort();
  expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: false });
});

test("a turn that cannot say what its end waits for does not hold it up", async () => {
  const turns = watchedTurns({
    beforeEnd: () => {
      throw new Error("broken");
    },
  });
  const upstream = await startUpstream((response) => response.end("all of it"));
  const proxy = await startProxy(upstream.url, { turns });
  const reply = await fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}" });
  expect(await reply.text()).toBe("all of it");
  expect(proxy.incidents).toMatchObject([{ what: "waiting for the end of a reply" }]);
});
