import { expect, test, vi } from "vitest";
import { requestActivity } from "../../../../test/support/gateway-api.ts";
import { createActivityFeed } from "../../activity.ts";
import { createEventStreams } from "./event-streams.ts";

test("keeps connections alive with comments every 15 seconds", async () => {
  vi.useFakeTimers();
  const streams = createEventStreams(createActivityFeed(), { startedAt: 0 });
  const reader = streams.open({})?.getReader();
  const next = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await next()).toBe("retry: 2000\n\n");
  vi.advanceTimersByTime(30_000);
  expect([await next(), await next()]).toEqual([": heartbeat\n\n", ": heartbeat\n\n"]);
  streams.close();
  expect(await reader?.read()).toEqual({ done: true, value: undefined });
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test("a client that never reads is given up after 2,000 events", async () => {
  const feed = createActivityFeed();
  const streams = createEventStreams(feed, { startedAt: 0 });
  const stream = streams.open({});
  for (let index = 0; index < 1_999; index++) feed.publish(requestActivity());
  expect(streams.count()).toBe(1);
  feed.publish(requestActivity());
  expect(streams.count()).toBe(0);
  await expect(stream?.getReader().read()).rejects.toThrow("too slowly");
  feed.publish(requestActivity());
  streams.close();
});

test("takes no more clients than it can serve", () => {
  const streams = createEventStreams(createActivityFeed(), { startedAt: 0 });
  const opened = Array.from({ length: 300 }, () => streams.open({})).filter((each) => each !== undefined);
  expect([opened.length, streams.count()]).toEqual([256, 256]);
  streams.close();
  expect(streams.open({})).toBeUndefined();
});

test("an activity is written out only where a stream is open, or asks for what it missed", async () => {
  const feed = createActivityFeed();
  const streams = createEventStreams(feed, { startedAt: 0 });
  let writes = 0;
  const activity = {
    type: "incident",
    at: 1,
    error: "none",
    get what() {
      writes += 1;
      return "here";
    },
  } as const;
  feed.publish(activity);
  expect(writes).toBe(0);
  const reader = streams.open({ lastEventId: 0 })?.getReader();
  const next = async () => new TextDecoder().decode((await reader?.read())?.value);
  await next();
  expect(await next()).toContain('"what":"here"');
  streams.open({ lastEventId: 0 });
  expect(writes).toBe(1);
  streams.close();
});
