import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { closeAll, startProxy, startUpstream, waitFor, watchedTurns } from "../../../test/support/loopback.ts";

afterEach(closeAll);

const MEBIBYTE = 1024 * 1024;
const BOMB = gzipSync(Buffer.alloc(2 * MEBIBYTE, " "));
const limits = { maxBodyBytes: 4 * MEBIBYTE, maxDecodedBytes: 5 * MEBIBYTE };

function post(url: string, body: Buffer, headers: Record<string, string> = { "content-encoding": "gzip" }) {
  return fetch(`${url}/v1/messages`, { method: "POST", body, headers });
}

/** An upstream that answers when it is told to. */
async function startSlowUpstream() {
  const answers: (() => void)[] = [];
  const upstream = await startUpstream((response) => answers.push(() => response.end("{}")));
  const answerAll = () => {
    for (const answer of answers.splice(0)) answer();
  };
  return { upstream, answerAll };
}

test("bodies that are decoded at the same time share a limit, and give back what they took", async () => {
  const { upstream, answerAll } = await startSlowUpstream();
  const proxy = await startProxy(upstream.url, { turns: watchedTurns(), limits });
  for (let round = 0; round < 3; round += 1) {
    const replies = [post(proxy.url, BOMB), post(proxy.url, BOMB)];
    await waitFor(() => upstream.requests.length === 2 * (round + 1));
    const refused = await post(proxy.url, BOMB);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({
      error: { type: "palimpsest_error", code: "decoding-busy", message: expect.stringContaining("maxDecodedBytes") },
    });
    answerAll();
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200]);
  }
});

test("plain bodies do not take part", async () => {
  const { upstream, answerAll } = await startSlowUpstream();
  const proxy = await startProxy(upstream.url, { turns: watchedTurns(), limits });
  const plain = Buffer.alloc(2 * MEBIBYTE, " ");
  const replies = [post(proxy.url, plain, {}), post(proxy.url, plain, {}), post(proxy.url, plain, {})];
  await waitFor(() => upstream.requests.length === 3);
  answerAll();
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test("many bombs at once are refused, and leave the limit as it was", async () => {
  const { upstream, answerAll } = await startSlowUpstream();
  const proxy = await startProxy(upstream.url, { turns: watchedTurns(), limits });
  const statuses: number[] = [];
  const all = Promise.all(Array.from({ length: 30 }, async () => statuses.push((await post(proxy.url, BOMB)).status)));
  await waitFor(() => statuses.length + upstream.requests.length === 30);
  expect(upstream.requests.length).toBeLessThanOrEqual(2);
  answerAll();
  await all;
  const again = post(proxy.url, BOMB);
  const finished = setInterval(answerAll, 5);
  expect((await again).status).toBe(200);
  clearInterval(finished);
});

test("one that alone would be over the limit is too large, and one that is broken gives back what it took", async () => {
  const { upstream, answerAll } = await startSlowUpstream();
  const proxy = await startProxy(upstream.url, {
    turns: watchedTurns(),
    limits: { ...limits, maxBodyBytes: 64 * MEBIBYTE },
  });
  expect((await post(proxy.url, gzipSync(Buffer.alloc(6 * MEBIBYTE)))).status).toBe(413);
  const finished = setInterval(answerAll, 5);
  for (let round = 0; round < 4; round += 1) {
    expect((await post(proxy.url, BOMB.subarray(0, BOMB.length - 10))).status).toBe(200);
    expect((await post(proxy.url, BOMB)).status).toBe(200);
  }
  clearInterval(finished);
});
