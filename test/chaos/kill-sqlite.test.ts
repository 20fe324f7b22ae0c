import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sized, tellFigures } from "./chaos-size.ts";
import { killWriters } from "./kill-writers.ts";

/** Lives that share a session: each goes on where the one before was killed. */
const LIVES_PER_SESSION = 20;

test("what a killed process was told is there: one SQLite file, reused after every kill", async () => {
  const path = join(temporaryFolder(), "store.db");
  const figures = await killWriters({
    title: "one SQLite file",
    kills: sized({ full: 210, short: 6 }),
    lifeOf: (kill) => ({
      place: { type: "sqlite", path },
      session: `session-${Math.floor(kill / LIVES_PER_SESSION)}`,
      longestMs: 400,
      opensFirst: true,
    }),
  });
  expect(figures.acknowledgedAppends).toBeGreaterThan(0);
  tellFigures("kill -9, one SQLite file", { ...figures });
});

test("a process that is killed while it makes a SQLite file leaves one that works", async () => {
  const folder = temporaryFolder();
  const figures = await killWriters({
    title: "new SQLite files",
    kills: sized({ full: 60, short: 2 }),
    lifeOf: (kill) => ({
      place: { type: "sqlite", path: join(folder, `store-${kill}.db`) },
      session: "session",
      longestMs: 80,
      opensFirst: false,
    }),
  });
  tellFigures("kill -9, a new SQLite file each time", { ...figures });
});
