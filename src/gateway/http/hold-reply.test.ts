import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { watchedTurns } from "../../../test/support/loopback.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Refusal } from "../turn.ts";
import { holdReply } from "./hold-reply.ts";
import type { ReplyWriter } from "./reply-writer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function hold({ status = 200, headers = {} as Record<string, string> } = {}) {
  let stage: ReturnType<ReplyFollower["stage"]> = "opening";
  let message = "";
  let isReleased = false;
  let bytes = 0;
  const refusals: Refusal[] = [];
  const follow = { stage: () => stage, failure: () => ({ message }) };
  const turn = await watchedTurns({ isStreaming: true }, follow).begin({
    api: "anthropic",
    path: "/v1/messages",
    headers: {},
    body: Buffer.from("{}"),
    upstream: "http://upstream.test",
  });
  if (turn === undefined) throw new Error("There is no turn.");
  const writer: ReplyWriter = {
    write: (chunk) => {
      bytes += chunk.length;
    },
    end: () => {},
    cut: () => {},
    release: () => {
      isReleased = true;
    },
    heldBytes: () => bytes,
    held: () => Buffer.alloc(0),
  };
  const held = holdReply({
    writer,
    head: { status, statusText: "", headers, raw: [] },
    turn,
    follower: turn.follower,
    report: () => {},
    onTooLong: (refusal) => refusals.push(refusal),
  });
  return {
    held,
    refusals,
    isReleased: () => isReleased,
    comes: (size: number, to: typeof stage, why = "") => {
      [stage, message] = [to, why];
      writer.write(Buffer.alloc(size));
      held.onFollowed();
      held.onData();
    },
  };
}

describe("a stream that has only opened", () => {
  test("is held back through signs of life, for as long as clients surely wait, and then let go as it is", async () => {
    const { comes, isReleased, refusals } = await hold();
    for (let second = 1; second < 20; second++) {
      comes(20, "opening");
      vi.advanceTimersByTime(1_000);
      expect(isReleased(), `after ${second} s`).toBe(false);
    }
    vi.advanceTimersByTime(1_000);
    expect(isReleased()).toBe(true);
    comes(20, "failed", "prompt is too long");
    expect(refusals).toEqual([]);
  });

  test("is let go with the first content, and its time is over", async () => {
    const { comes, isReleased } = await hold();
    comes(20, "opening");
    comes(20, "speaking");
    expect(isReleased()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("and refuses after any time is not let go", async () => {
    const { comes, isReleased, refusals } = await hold();
    vi.advanceTimersByTime(15_000);
    comes(20, "failed", "prompt is too long: 210 tokens > 200 maximum");
    expect(refusals).toHaveLength(1);
    vi.advanceTimersByTime(60_000);
    expect(isReleased()).toBe(false);
  });

  test("and fails otherwise is let go", async () => {
    const { comes, isReleased, refusals } = await hold();
    comes(20, "failed", "Overloaded");
    expect([isReleased(), refusals.length]).toEqual([true, 0]);
  });

  test("may repeat long prompts, but not without end", async () => {
    const { comes, isReleased } = await hold();
    comes(2_000_000, "opening");
    expect(isReleased()).toBe(false);
    comes(7_000_000, "opening");
    expect(isReleased()).toBe(true);
  });

  test("is let go where its follower is told no more", async () => {
    const { held, isReleased } = await hold();
    held.lost();
    expect(isReleased()).toBe(true);
  });
});

test.each([
  ["another status", { status: 429 }],
  ["a coding that we cannot read", { headers: { "content-encoding": "aes128gcm" } }],
])("a reply with %s is never held back", async (_, head) => {
  expect((await hold(head)).isReleased()).toBe(true);
});
