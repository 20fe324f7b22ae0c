import { connect } from "node:net";
import { createParser } from "eventsource-parser";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ApiUnderTest, requestActivity, startApi } from "../../../test/support/gateway-api.ts";
import { chat } from "../../../test/support/messages.ts";

const LONG_WAIT = { timeout: 300_000 };

let running: ApiUnderTest;
beforeEach(async () => {
  running = await startApi();
});
afterEach(() => running.close());

interface Event {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** Follows events until the server ends them or `stop` is called. */
async function follow(query = "", headers: Record<string, string> = {}) {
  const stopper = new AbortController();
  const response = await fetch(`${running.url}/palimpsest/api/events${query}`, { headers, signal: stopper.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => events.push({ id, event, data }) });
  const ended = (async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(text);
  })().catch((error: unknown) => error);
  const until = (count: number) => vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(count), LONG_WAIT);
  return { events, ended, until, stop: () => stopper.abort() };
}

async function streamCount(): Promise<number> {
  return (await running.get("/stats")).body.eventStreams;
}

test("tells each activity as it happens, with ids that increase", async () => {
  const { events, until, stop } = await follow();
  const incident = { type: "incident", at: 1, what: "turn", error: "TypeError" } as const;
  running.feed.publish(requestActivity());
  running.feed.publish(incident);
  await (await running.engine.session("a")).append(...chat(2));
  await running.send("POST", "/sessions/a/pin", { messageId: "m0" });
  await until(3);
  expect(events.map(({ event }) => event)).toEqual(["request", "incident", "session"]);
  expect(JSON.parse(events[0]?.data ?? "")).toEqual(requestActivity());
  expect(JSON.parse(events[1]?.data ?? "")).toEqual(incident);
  expect(JSON.parse(events[2]?.data ?? "")).toMatchObject({ sessionId: "a", change: "updated" });
  const numbers = events.map(({ id }) => Number(id));
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  expect(new Set(numbers).size).toBe(3);
  stop();
});

test("tells of one session alone, where one is named", async () => {
  const { events, until, stop } = await follow("?session=claude-code%3A1");
  for (const sessionId of ["claude-code:2", undefined, "claude-code:1"])
    running.feed.publish(requestActivity({ sessionId }));
  await until(1);
  expect(events.map(({ data }) => JSON.parse(data).sessionId)).toEqual(["claude-code:1"]);
  stop();
});

test("a client that comes back gets what it missed, of the last 1,000", async () => {
  const first = await follow();
  running.feed.publish(requestActivity({ modelId: "seen" }));
  await first.until(1);
  first.stop();
  for (let index = 0; index < 3; index++) running.feed.publish(requestActivity({ modelId: `missed ${index}` }));
  const lastEventId = first.events[0]?.id ?? "";
  const second = await follow("", { "last-event-id": lastEventId });
  await second.until(3);
  expect(second.events.map(({ data }) => JSON.parse(data).modelId)).toEqual(["missed 0", "missed 1", "missed 2"]);
  second.stop();
  for (let index = 0; index < 1_500; index++) running.feed.publish(requestActivity({ modelId: `late ${index}` }));
  const third = await follow("", { "last-event-id": lastEventId });
  await third.until(1_000);
  expect(third.events.map(({ data }) => JSON.parse(data).modelId)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => `late ${index + 500}`),
  );
  third.stop();
});

test("a client of a gateway that was started again gets everything since", async () => {
  running.feed.publish(requestActivity({ modelId: "new" }));
  const { events, until, stop } = await follow("", { "last-event-id": "1700000000000123" });
  await until(1);
  expect(JSON.parse(events[0]?.data ?? "").modelId).toBe("new");
  stop();
});

test("forgets clients that leave", async () => {
  const clients = await Promise.all([follow(), follow(), follow()]);
  expect(await streamCount()).toBe(3);
  for (const client of clients) client.stop();
  await vi.waitFor(async () => expect(await streamCount()).toBe(0), LONG_WAIT);
});

test("drops a client that does not read, and the others go on", async () => {
  const { hostname, port } = new URL(running.url);
  const complaints = vi.spyOn(console, "error");
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => {});
  socket.write(`GET /palimpsest/api/events HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  await vi.waitFor(async () => expect(await streamCount()).toBe(1), LONG_WAIT);
  const reader = await follow();
  socket.pause();
  const foldIds = [`condense-${"x".repeat(10_000)}`];
  for (let batch = 0; batch < 40; batch++) {
    for (let index = 0; index < 100; index++) running.feed.publish(requestActivity({ foldIds }));
    await reader.until((batch + 1) * 100);
  }
  expect(await streamCount()).toBe(1);
  socket.resume();
  await closed;
  expect(complaints).not.toHaveBeenCalled();
  reader.stop();
});

test("close ends the streams, and later ones are refused", async () => {
  const { ended, events, until } = await follow();
  running.feed.publish(requestActivity());
  await until(1);
  running.api.close();
  expect(await ended).toBeUndefined();
  running.feed.publish(requestActivity());
  expect(events).toHaveLength(1);
  expect((await running.get("/events")).status).toBe(503);
});
