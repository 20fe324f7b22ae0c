/** The money of the sessions that a gateway serves. */
import { expect, test } from "vitest";
import { requestActivity } from "../../test/support/gateway-api.ts";
import { interceptStore } from "../../test/support/intercepted-store.ts";
import { createModelRegistry } from "../core/models/registry.ts";
import type { Store } from "../core/ports/store.ts";
import { createEngine } from "../engine/create-engine.ts";
import { memoryStore } from "../stores/memory/index.ts";
import { createActivityFeed } from "./activity.ts";
import { keepStatements } from "./statements.ts";

function world() {
  let isBroken = false;
  const before = () => {
    if (isBroken) throw new Error("disk");
  };
  const intercepted = interceptStore(memoryStore(), { before });
  let readRecords = 0;
  const store: Store = {
    ...intercepted,
    read: async (...asked) => {
      const records = await intercepted.read(...asked);
      readRecords += records.length;
      return records;
    },
  };
  const engine = createEngine({ model: "claude-sonnet-4-5", store });
  const feed = createActivityFeed();
  const statements = keepStatements({
    store,
    feed,
    registry: createModelRegistry(),
    leftTokens: () => 16_000,
    since: 1_000,
  });
  const ask = async (sessionId: string, at: number) => {
    const session = await engine.session(sessionId);
    await session.recordRequest({ at, usage: { inputTokens: 1_000_000 } });
    feed.publish(requestActivity({ sessionId }));
  };
  const breakStore = (broken: boolean) => {
    isBroken = broken;
  };
  return { statements, ask, feed, engine, breakStore, readRecords: () => readRecords };
}

test("is that of their requests since the start, also of sessions that went on", async () => {
  const { statements, ask } = world();
  await ask("a", 500);
  await ask("a", 1_500);
  await ask("b", 2_000);
  expect(await statements.total()).toMatchObject({ requests: 2, spentUsd: 6, savedUsd: { againstNothing: 0 } });
  await ask("a", 2_500);
  expect(await statements.total()).toMatchObject({ requests: 3, spentUsd: 9 });
});

test("leaves out requests without a session, and sessions that were deleted", async () => {
  const { statements, feed } = world();
  feed.publish(requestActivity({ sessionId: undefined }));
  feed.publish(requestActivity({ sessionId: "gone" }));
  expect(await statements.total()).toMatchObject({ requests: 0, spentUsd: 0 });
});

test("is read again after the store failed", async () => {
  const { statements, ask, breakStore } = world();
  await ask("a", 2_000);
  breakStore(true);
  await expect(statements.total()).rejects.toThrow("disk");
  breakStore(false);
  expect(await statements.total()).toMatchObject({ requests: 1, spentUsd: 3 });
});

test("reads of a session only what is new since it was asked last", async () => {
  const { statements, ask, engine, readRecords } = world();
  await (await engine.session("a")).append(
    ...Array.from({ length: 50 }, () => ({ role: "user", content: "x" }) as const),
  );
  await ask("a", 2_000);
  await statements.total();
  await ask("a", 2_500);
  const before = readRecords();
  expect(await statements.total()).toMatchObject({ requests: 2, spentUsd: 6 });
  expect(readRecords() - before).toBeLessThanOrEqual(2);
});

test("is that of the new session where one of the same name was deleted", async () => {
  const { statements, ask, engine } = world();
  await ask("a", 2_000);
  await ask("a", 2_500);
  await statements.total();
  await engine.deleteSession("a");
  await ask("a", 3_000);
  expect(await statements.total()).toMatchObject({ requests: 1, spentUsd: 3 });
});
