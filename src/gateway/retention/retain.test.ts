import { expect, onTestFinished, test } from "vitest";
import { describeDurableStores } from "../../../test/support/stores.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { startGateway } from "../start-gateway.ts";

const DAY = 24 * 60 * 60 * 1_000;

await describeDurableStores("a gateway with a retention", (makePlace) => {
  test("removes what is too old when it starts, and says so", async () => {
    const { open, age } = makePlace();
    const store = open();
    for (const id of ["old", "pinned", "young"]) {
      const { key } = await store.open(id);
      await store.append(key, [{ body: `{"type":"note","of":"${id}"}` }]);
    }
    await store.maintenance.pin("pinned", true);
    await age("old", 100 * DAY);
    await age("pinned", 100 * DAY);
    const lines: string[] = [];
    const removed = new Promise<void>((resolve) => {
      const log = (line: string) => {
        lines.push(line);
        resolve();
      };
      void startGateway({ store, port: 0, retention: { keepMs: 90 * DAY }, log }).then((gateway) =>
        onTestFinished(() => gateway.close()),
      );
    });
    await removed;
    expect(lines).toEqual([expect.stringMatching(/^retention: removed 1 sessions, \d+ bytes$/)]);
    expect((await store.list()).map(({ id }) => id).toSorted()).toEqual(["pinned", "young"]);
  });
});

test.each<[object, RegExp]>([
  [{ keepMs: 1 }, /options\.retention\.keepMs is 1/],
  [{ keepMs: 90 * DAY }, /options\.retention .*cannot be maintained/],
])("refuses %j on a store in memory", async (retention, expected) => {
  await expect(startGateway({ store: memoryStore(), port: 0, retention })).rejects.toThrow(expected);
});
