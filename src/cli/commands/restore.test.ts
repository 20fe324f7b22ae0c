import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolLoop } from "../../../test/support/long-talk.ts";
import { commandFolders, foldHarbour, importHarbour, palimpsest, told } from "../../../test/support/stored-commands.ts";
import { createEngine } from "../../index.ts";
import { sqliteStore } from "../../stores/sqlite/index.ts";

const folders = commandFolders();

interface Line {
  readonly id?: string;
}

const visible = async () => (await told("sessions", "show", "harbour")).view.map(({ id }: Line) => id);

test("a span is shown again with whole tool pairs; the rest of the fold stays hidden, and the session intact", async () => {
  await importHarbour(folders);
  const foldId = await foldHarbour(folders);
  const before = await visible();
  expect(before).not.toContain("u6");
  const { restored } = await told("restore", "harbour", "--from", "u6", "--to", "u8");
  expect(restored).toMatchObject({ from: "u6", to: "u8" });
  expect(await visible()).toEqual(expect.arrayContaining([...before, "m5", "u6", "m7", "u8"]));
  expect(restored.messages).toBe((await visible()).length - before.length);
  const { folds, events, versions } = await told("sessions", "show", "harbour");
  expect(folds).toMatchObject([{ foldId }]);
  expect(events.at(-1)).toMatchObject({ type: "span_restored", from: "u6", to: "u8" });
  expect(versions.at(-1).what).toBe(`${restored.messages} messages restored`);
  expect((await palimpsest("verify", "harbour")).status).toBe(0);
  expect((await told("restore", "harbour", "all")).viewTokensAfter).toBeGreaterThan(0);
  expect(await visible()).toHaveLength(27);
});

test("what is visible already is left as it is, and said so", async () => {
  await importHarbour(folders);
  await foldHarbour(folders);
  const { version } = await told("sessions", "show", "harbour");
  const { stdout } = await palimpsest("restore", "harbour", "--from", "thanks");
  expect(stdout).toBe("thanks: no message is hidden there\n");
  expect(await told("sessions", "show", "harbour")).toMatchObject({ version });
  expect((await palimpsest("restore", "harbour", "--from", "u6")).stdout).toMatch(
    /^u6: \d+ messages restored\nview: [\d,]+ → [\d,]+ tokens\n$/,
  );
});

test("messages without ids are named by their places, in show, restore and pin", async () => {
  mkdirSync(folders.home, { recursive: true });
  const store = sqliteStore({ path: join(folders.home, "palimpsest.db") });
  const session = await createEngine({ model: "claude-sonnet-4-5", store }).session("harbour-light");
  await session.append(...toolLoop(30, 300).map(({ id: _, ...message }) => message));
  await session.condense();
  const [hit] = await session.recall("file 5");
  const hidden = (await session.log())[12];
  await store.close();

  expect(hit?.messageId).toMatch(/^#\d+$/);
  expect(hidden).toMatchObject({ condenseParent: expect.any(String) });
  expect((await told("restore", "harbour", "--from", "#12")).restored).toEqual({ from: "#12", to: "#12", messages: 2 });
  expect((await told("pin", "harbour", "#12")).message).toBe("#12");
  const { stdout } = await palimpsest("sessions", "show", "harbour", "--limit", "100");
  expect(stdout).toMatch(/ #12 +\[pinned\]/);
  expect(stdout).not.toContain("–  ");
  expect((await palimpsest("verify", "harbour")).status).toBe(0);
  expect(await palimpsest("restore", "harbour", "--from", "#999")).toMatchObject({ status: 1 });
});

test.each([
  [["--to", "u6"], 2, "--to goes with --from"],
  [["--from", "u8", "--to", "u6"], 2, "span.to"],
  [["--from", "nothing"], 1, "There is no message"],
  [["--from", "u6", "all"], 2, "one too many"],
])("restore %j is refused in words", async (given, status, stderr) => {
  await importHarbour(folders);
  expect(await palimpsest("restore", "harbour", ...given)).toMatchObject({
    status,
    stdout: "",
    stderr: expect.stringContaining(stderr),
  });
});
