import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { GOOD_SUMMARY } from "../../../test/support/handlers.ts";
import {
  claudeCodeSession,
  commandFolders,
  foldHarbour,
  importHarbour,
  palimpsest,
  told,
} from "../../../test/support/stored-commands.ts";
import { startModelServer } from "../../testing/index.ts";

const folders = commandFolders();

/** Names all that the session names, so that validators let it pass. */
const SUMMARY = [
  GOOD_SUMMARY,
  "The user asked: Find out why the harbour light blinks twice.",
  ...Array.from(
    { length: 12 },
    (_, lamp) => `Read lamp-${lamp + 1}.log: lamp ${lamp + 1}: on, off, relay K${lamp + 1}`,
  ),
].join("\n");

test("condenses a session that is far from full, and restore brings all of it back", async () => {
  await importHarbour(folders);
  const [before] = (await told("sessions")).sessions;
  const condensed = await told("condense", "harbour");
  expect(condensed).toMatchObject({ session: "harbour-light", costUsd: 0, viewTokensBefore: before.viewTokens });
  expect(condensed.summary).toContain("Ledger of the earlier conversation");
  expect(condensed.messages).toBeGreaterThan(15);
  const [after] = (await told("sessions")).sessions;
  expect(after).toMatchObject({ folds: 1, viewTokens: condensed.viewTokensAfter });
  expect(after.viewTokens).toBeLessThan(before.viewTokens / 2);
  expect((await palimpsest("verify", "harbour")).status).toBe(0);
  await palimpsest("restore", "harbour", condensed.foldId);
  expect((await told("sessions")).sessions[0]).toMatchObject({ folds: 0, viewTokens: before.viewTokens });
});

test("tells in words what it did; where condensing is off it fails, and changes nothing", async () => {
  await importHarbour(folders);
  const config = join(folders.folder, "palimpsest.json");
  writeFileSync(config, JSON.stringify({ configuration: { strategies: { primary: "truncation" } } }));
  const off = await palimpsest("condense", "harbour", "--config", config);
  expect(off).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(/^condense: nothing was changed\. /),
  });
  expect((await told("sessions")).sessions[0]).toMatchObject({ folds: 0, version: 26 });
  const { stdout } = await palimpsest("condense", "harbour");
  expect(stdout).toMatch(/^condense-\w+: \d+ messages condensed\nview: [\d,]+ → [\d,]+ tokens\n$/);
});

test("asks the model of --condense-with, or of --config", async () => {
  let reply = SUMMARY;
  const server = await startModelServer({ reply: () => ({ type: "text", text: reply }) });
  vi.stubEnv("ANTHROPIC_API_KEY", "k");
  try {
    await importHarbour(folders);
    const model = "anthropic/claude-haiku-4-5";
    const condensed = await told("condense", "harbour", "--condense-with", model, "--anthropic-upstream", server.url);
    expect(condensed.summary).toBe(SUMMARY);
    await palimpsest("restore", "harbour", "all");
    const config = join(folders.folder, "palimpsest.json");
    writeFileSync(config, JSON.stringify({ condenseWith: model, upstreams: { anthropic: server.url } }));
    expect((await told("condense", "harbour", "--config", config)).summary).toBe(SUMMARY);
    expect(server.requests.map(({ modelId }) => modelId)).toEqual(["claude-haiku-4-5", "claude-haiku-4-5"]);
    await palimpsest("restore", "harbour", "all");
    reply = "Nothing much.";
    const { stdout } = await palimpsest("condense", "harbour", "--config", config);
    expect(stdout).toContain("by the ledger, not by the model: ");
  } finally {
    await server.close();
  }
});

test("takes what condensing has a use for, and nothing else of a gateway's", async () => {
  const { stdout } = await palimpsest("condense", "--help");
  const options = [...stdout.matchAll(/^ +(?:-h, )?--([a-z-]+)/gm)].map(([, name]) => name);
  const model = ["condense-with", "upstream", "anthropic-upstream", "openai-upstream", "gemini-upstream"];
  expect(options).toEqual(["window", "budget", "economy", ...model, "log-level", "config", "json", "store", "help"]);
  const { status, stderr } = await palimpsest("condense", "harbour", "--keep", "30d");
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("There is no option --keep.") });
});

test("--log-level says on standard error what the engine does", async () => {
  await importHarbour(folders);
  const { stderr } = await palimpsest("condense", "harbour", "--log-level", "debug");
  expect(stderr).toMatch(
    /^palimpsest: condensed task="harbour-light" strategy="ledger" tokens=\d+ newTokens=\d+ hidden=\d+ /m,
  );
  await palimpsest("restore", "harbour", "all");
  expect((await palimpsest("condense", "harbour")).stderr).toBe("");
});

test("of a session file prints what would be sent, as compact does, and changes nothing", async () => {
  const path = join(folders.folder, "talk.jsonl");
  writeFileSync(path, claudeCodeSession());
  const expected = {
    status: 0,
    stdout: expect.stringContaining("harbour light blinks twice"),
    stderr: expect.stringMatching(/^[\d,]+ of [\d,]+ tokens · 1 fold: condense · \d+ of 26 messages hidden\n$/),
  };
  expect(await palimpsest("condense", path)).toMatchObject(expected);
  await importHarbour(folders);
  expect(await palimpsest("condense", path)).toMatchObject(expected);
  expect(readFileSync(path, "utf8")).toBe(claudeCodeSession());
  expect((await told("sessions", "show", "harbour")).folds).toEqual([]);
  expect(await told("condense", path, "--budget", "3k")).toMatchObject({ budgetTokens: 3_000, folds: [{}] });
});

test("--budget is for a session file", async () => {
  await importHarbour(folders);
  const { status, stderr } = await palimpsest("condense", "harbour", "--budget", "3k");
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("--budget is for a session file") });
});

test("memory is no store that a command can see", async () => {
  expect(await palimpsest("condense", "x", "--store", "memory")).toMatchObject({ status: 2, stdout: "" });
});

test("a pinned message is shown as such and stays visible, and --off takes the mark back", async () => {
  await importHarbour(folders);
  expect((await palimpsest("pin", "harbour", "u4")).stdout).toBe("u4 is pinned: it stays visible\n");
  const { version } = await told("pin", "harbour", "u4");
  expect(await told("pin", "harbour", "u4")).toEqual({
    session: "harbour-light",
    message: "u4",
    important: true,
    version,
  });
  await foldHarbour(folders);
  const { stdout } = await palimpsest("sessions", "show", "harbour");
  expect(stdout).toMatch(/ · 1 pinned · version/);
  expect(stdout).toMatch(/ u4 +\[pinned\] → lamp 2/);
  expect((await palimpsest("sessions")).stdout).toMatch(/^ {2}harbour-light +27 +[\d,]+ +1 +1 {2}just now$/m);
  const details = await told("sessions", "show", "harbour");
  expect(details.pinned).toBe(1);
  expect(details.view.filter((line: { isPinned: boolean }) => line.isPinned)).toMatchObject([{ id: "u4" }]);
  expect((await palimpsest("pin", "harbour", "u4", "--off")).stdout).toBe("u4 is pinned no longer\n");
  expect(await told("sessions", "show", "harbour")).toMatchObject({ pinned: 0 });
});

test("pin names messages that are there", async () => {
  await importHarbour(folders);
  const unknown = await palimpsest("pin", "harbour", "nothing");
  expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('There is no message "nothing"') });
});
