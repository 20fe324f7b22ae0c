import { describe, expect, test } from "vitest";
import { incomingOf, steps } from "../../../test/support/gateway-turns.ts";
import { createEngine } from "../../engine/create-engine.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { alignLog } from "./align-log.ts";
import { type IncomingRequest, newMessages } from "./incoming-request.ts";

async function recordedSession(incoming: IncomingRequest) {
  const session = await createEngine({ model: "unknown", store: memoryStore() }).session("mine");
  await session.append(...newMessages(incoming, { from: 0, now: 0 }));
  return session;
}

describe("a request and a session's log", () => {
  const [before, now] = [incomingOf(steps("a", 3)), incomingOf(steps("a", 4))];

  test("are compared once as long as the log is the same, whatever else is learned in the session", async () => {
    const session = await recordedSession(before);
    const first = alignLog(now, await session.snapshot());
    expect(first.alignment).toEqual({ type: "continues", edited: [] });
    await session.calibrate(1.5);
    const second = alignLog(now, await session.snapshot(), { known: first });
    expect(second.alignment).toBe(first.alignment);
    expect(second.said).toBe(first.said);
    expect([first.snapshot.tokenRatio, second.snapshot.tokenRatio]).toEqual([1, 1.5]);
  });

  test("are compared again once the log has changed", async () => {
    const session = await recordedSession(before);
    const first = alignLog(now, await session.snapshot());
    await session.append({ role: "assistant", content: "Something else.", keys: ["m:other"] });
    const second = alignLog(now, await session.snapshot(), { known: first });
    expect(second.alignment).toEqual({ type: "unrelated", shared: 7 });
  });

  test("are not taken for another request and the same log", async () => {
    const session = await recordedSession(now);
    const first = alignLog(now, await session.snapshot());
    const other = alignLog(before, await session.snapshot(), { known: first });
    expect([first.alignment.type, other.alignment.type]).toEqual(["continues", "begins"]);
  });
});
