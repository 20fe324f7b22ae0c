/** A process is killed at any moment: the statement is a sum over what is kept, never negative and never doubled. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { CHAOS_SEED, sized, tellFigures } from "./chaos-size.ts";
import { between, seededRandom } from "./random.ts";

const COST_USD = (1_000 * 3 + 10 * 15) / 1_000_000;

/** Runs a writer until it has told so many lines, then kills it. What it told by then. */
async function killAfter(lines: number, path: string, first: number): Promise<readonly string[]> {
  const script = join(import.meta.dirname, "statement-writer.ts");
  const child = spawn(process.execPath, [script, path, String(first)], { stdio: ["ignore", "pipe", "inherit"] });
  const told: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    told.push(line);
    if (told.length === lines) child.kill("SIGKILL");
  });
  await Promise.all([once(child, "close"), once(reader, "close")]);
  return told;
}

test("requests that were acknowledged are in the statement, once, after every kill", async () => {
  const path = join(temporaryFolder(), "store.db");
  const random = seededRandom("statement", CHAOS_SEED);
  const kills = sized({ full: 60, short: 3 });
  let [paying, paid] = [0, 0];
  for (let kill = 0; kill < kills; kill++) {
    const told = await killAfter(between(random, 1, 30), path, 1_000 * kill);
    paying += told.filter((line) => line.startsWith("paying")).length;
    paid += told.filter((line) => line.startsWith("paid")).length;
    const store = sqliteStore({ path });
    const engine = createEngine({ model: "claude-sonnet-4-5", store });
    const session = await engine.session("task");
    const statement = await session.statement();
    expect(statement.requests).toBeGreaterThanOrEqual(paid);
    expect(statement.requests).toBeLessThanOrEqual(paying);
    expect(statement.spentUsd).toBeCloseTo(statement.requests * COST_USD, 9);
    for (const { costUsd, earnedUsd, hiddenTokens } of statement.folds) {
      expect(Math.min(costUsd, earnedUsd, hiddenTokens)).toBeGreaterThanOrEqual(0);
    }
    expect((await engine.statement()).requests).toBe(statement.requests);
    expect(await session.verify()).toMatchObject({ type: "intact" });
    await store.close();
  }
  expect(paid).toBeGreaterThan(0);
  tellFigures("kill -9, the statement", { kills, paid, paying });
});
