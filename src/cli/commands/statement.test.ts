import { join } from "node:path";
import { expect, test } from "vitest";
import { assistant, user } from "../../../test/support/messages.ts";
import { talkOf } from "../../../test/support/sessions.ts";
import { commandFolders, importHarbour, palimpsest, told } from "../../../test/support/stored-commands.ts";
import { createEngine } from "../../index.ts";
import { sqliteStore } from "../../stores/sqlite/index.ts";

const folders = commandFolders();

/** Two sessions: each asked twice, with a cache that worked. */
async function withRequests(): Promise<void> {
  const store = sqliteStore({ path: join(folders.home, "palimpsest.db") });
  const engine = createEngine({ model: "claude-sonnet-4-5", store });
  for (const id of ["lamp", "tide"]) {
    const session = await engine.session(id);
    await session.append({ role: "user", content: "Why does it blink?" });
    await session.recordRequest({ at: 1_000, usage: { inputTokens: 0, cacheWriteTokens: 100_000, outputTokens: 100 } });
    const usage = { inputTokens: 0, cacheReadTokens: 100_000, cacheWriteTokens: 1_000, outputTokens: 100 };
    await session.recordRequest({ at: 2_000, usage });
  }
  await store.close();
}

test("says what a session cost against named alternatives, the cache, and the forecast", async () => {
  await withRequests();
  const { status, stdout, stderr } = await palimpsest("statement", "lamp");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("lamp\n2 requests\n");
  expect(stdout).toMatch(/\$0\.41 {2,}spent\n/);
  expect(stdout).toMatch(/\$0\.41 +\$0\.00 {2}without folds\n/);
  expect(stdout).toMatch(/ with a summary at 80 % of the window\n/);
  expect(stdout).toMatch(/ at best, had all of it been known before; spent was \d\.\d\d times that\n/);
  expect(stdout).toContain("tokens    0 input, 100,000 from the cache, 101,000 to the cache, 200 output\n");
  expect(stdout).toContain("cache     100,000 tokens read, 100,000 expected; 0 cold calls\n");
  expect(stdout).toMatch(/forecast {2}off by \d+\.\d\d % \(p50\)/);
});

test("says how many of the critical facts that folds hid were still visible", async () => {
  const store = sqliteStore({ path: join(folders.home, "palimpsest.db") });
  const engine = createEngine({ model: "claude-sonnet-4-5", contextWindow: 10_000, maxTokens: 1_000, store });
  const session = await engine.session("lamp");
  const said = [assistant("What is to be done?"), user("Mend src/lamp/blink.ts."), ...talkOf(31, 300).slice(1)];
  await session.append(user("Begin."), ...said);
  const { report } = await session.prepare();
  expect(report.foldIds.length).toBeGreaterThan(0);
  session.observe({ inputTokens: report.promptTokens });
  await session.statement();
  await store.close();
  const { stdout } = await palimpsest("statement", "lamp");
  expect(stdout).toMatch(/facts {5}\d+ of \d+ critical ones still visible after folds\n/);
});

test("sums up all sessions, for people and for machines", async () => {
  await withRequests();
  const { stdout } = await palimpsest("statement", "--all");
  expect(stdout).toContain("all sessions\n2 sessions · 4 requests\n");
  const { session, statement } = await told("statement", "lamp");
  const all = await told("statement", "--all");
  expect(session).toBe("lamp");
  expect(all).not.toHaveProperty("session");
  expect(all.statement).toMatchObject({ sessions: 2, requests: 4, unpriced: 0 });
  expect(all.statement.spentUsd).toBeCloseTo(2 * statement.spentUsd, 12);
});

test("names the causes of folds, and what is not known", async () => {
  const store = sqliteStore({ path: join(folders.home, "palimpsest.db") });
  const model = { model: "claude-sonnet-4-5", contextWindow: 10_000, maxTokens: 1_000 };
  const session = await createEngine({ ...model, store }).session("long");
  for (let turn = 0; turn < 24; turn++) {
    await session.append({ role: turn % 2 === 0 ? "user" : "assistant", content: `${turn}: ${"lamp ".repeat(900)}` });
  }
  const { report } = await session.prepare();
  expect(report.foldIds.length).toBeGreaterThan(0);
  session.observe({ inputTokens: report.promptTokens });
  await session.append({ role: "user", content: "And then?" });
  await session.recordRequest();
  await store.close();
  const { stdout } = await palimpsest("statement", "long");
  expect(stdout).toContain("2 requests · 1 of unknown cost, in no figure of money\n");
  expect(stdout).toMatch(/Folds by cause\n.*\n +1 +[\d,]+ +\$0\.00 +\$\d\.\d+ {2}limit: the prompt did not fit\n/);
});

test("of a session that sent nothing is no bill of zeros", async () => {
  await importHarbour(folders);
  const { status, stdout } = await palimpsest("statement", "harbour");
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^harbour-light\n0 requests\nRequests are counted when they are sent: .* Imported sessions have/,
  );
  expect(stdout).not.toContain("$0.00");
});

test("refuses what makes no sense", async () => {
  expect(await palimpsest("statement")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("<session> is missing. Give it, or --all. palimpsest sessions lists the sessions."),
  });
  expect(await palimpsest("statement", "lamp", "--all")).toMatchObject({ status: 2 });
});
