import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  claudeCodeSession,
  commandFolders,
  foldHarbour,
  importHarbour,
  palimpsest,
  told,
} from "../../../test/support/stored-commands.ts";
import { deleteSession } from "./sessions-delete.ts";

const folders = commandFolders();

test("there are none before the first, and looking makes no database", async () => {
  const { status, stdout } = await palimpsest("sessions");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^No sessions in .*palimpsest\.db yet/);
  expect(await told("sessions")).toEqual({ sessions: [] });
  expect(existsSync(folders.home)).toBe(false);
});

describe("import", () => {
  test("tells what it took and what it could not read, and the list shows it", async () => {
    const path = join(folders.folder, "half.jsonl");
    writeFileSync(path, claudeCodeSession().slice(0, -30));
    const { status, stdout } = await palimpsest("sessions", "import", path, "--id", "half");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /half\.jsonl \(claude-code\) is now the session "half": 25 messages, [\d,]+ tokens in the view\n/,
    );
    expect(stdout).toContain("not read: line 26: The last line is only half there.");
    await importHarbour(folders);
    const lines = (await palimpsest("sessions")).stdout.split("\n");
    expect(lines[0]).toMatch(/session +messages +view tokens +folds +pinned +last change/);
    expect(lines[1]).toMatch(/^ {2}harbour-light +26 +[\d,]+ +0 +0 {2}just now$/);
    expect(lines[2]).toMatch(/^ {2}half +25 /);
    expect((await told("sessions", "--limit", "1")).sessions).toEqual([
      {
        id: "harbour-light",
        version: 26,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
        messages: 26,
        viewMessages: 26,
        viewTokens: expect.any(Number),
        folds: 0,
        pinned: 0,
      },
    ]);
  });

  test("names a session like its file where the file does not, and says what is not kept", async () => {
    const path = join(folders.folder, "chat.json");
    const chat = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hello" },
    ];
    writeFileSync(path, JSON.stringify(chat));
    const { stdout } = await palimpsest("sessions", "import", path);
    expect(stdout).toContain('is now the session "chat": 1 message');
    expect(stdout).toContain("not kept: the system prompt");
  });

  test("never writes over a session, and refuses a file that is not there or empty of messages", async () => {
    await importHarbour(folders);
    const again = await palimpsest("sessions", "import", join(folders.folder, "session.jsonl"));
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('session "harbour-light" already') });
    const nowhere = await palimpsest("sessions", "import", join(folders.folder, "nowhere.jsonl"));
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringContaining("there is no such file") });
    const empty = join(folders.folder, "empty.json");
    writeFileSync(empty, '{"messages":[]}');
    expect(await palimpsest("sessions", "import", empty, "--from", "anthropic")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("holds no messages"),
    });
    expect((await told("sessions")).sessions).toHaveLength(1);
  });
});

test("show tells view, folds, events and versions; ids may be abbreviated", async () => {
  await importHarbour(folders);
  const condenseId = await foldHarbour(folders);
  const { status, stdout } = await palimpsest("sessions", "show", "harb");
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^harbour-light\nlog: 27 messages, [\d,]+ tokens · view: \d+ messages, [\d,]+ tokens · version 29 /,
  );
  expect(stdout).toMatch(new RegExp(`^ +\\d+ +0 {2}condense {2}${condenseId}$`, "m"));
  expect(stdout).toMatch(/^ {2}just now {2}condense_context /m);
  expect(stdout).toMatch(/^ +1–26 {2}26 messages added$/m);
  expect(stdout).toMatch(/^ +29 +\d+ {2}user +thanks +Thank you\.$/m);
  const details = await told("sessions", "show", "harbour-light");
  expect(Object.keys(details).join(" ")).toBe(
    "id version createdAt updatedAt messages tokens viewTokens pinned view folds events checkpoints versions",
  );
  expect(details).toMatchObject({ messages: 27, version: 29, checkpoints: [], folds: [{ foldId: condenseId }] });
  expect(details.viewTokens).toBeLessThan(details.tokens);
});

describe("export", () => {
  test("as palimpsest comes back whole, with folds and all that was rewound", async () => {
    await importHarbour(folders);
    await foldHarbour(folders);
    await palimpsest("rewind", "harbour-light", "--to-version", "10");
    const path = join(folders.folder, "export.json");
    expect(await palimpsest("sessions", "export", "harbour", "--output", path)).toMatchObject({
      status: 0,
      stdout: "",
    });
    expect(await palimpsest("sessions", "import", path)).toMatchObject({ status: 1 });
    expect(await palimpsest("sessions", "import", path, "--id", "copy")).toMatchObject({ status: 0 });
    const [before, after] = [await told("sessions", "show", "harbour-light"), await told("sessions", "show", "copy")];
    expect({ ...after, id: "", createdAt: 0, updatedAt: 0 }).toEqual({ ...before, id: "", createdAt: 0, updatedAt: 0 });
    expect((await palimpsest("rewind", "copy", "--undo")).stdout).toContain("1 fold back");
  });

  test("as palimpsest that was cut or edited is refused, and nothing is made of it", async () => {
    await importHarbour(folders);
    const path = join(folders.folder, "export.json");
    await palimpsest("sessions", "export", "harbour", "--output", path);
    const whole = readFileSync(path, "utf8");
    for (const [text, reason] of [
      [whole.slice(0, -100), "only half there"],
      [whole.replace('"formatVersion":1', '"formatVersion":9'), "newer version"],
      [whole.replace('"type":"message"', '"type":"riddle"'), "no whole export"],
    ] as const) {
      writeFileSync(path, text);
      const refused = await palimpsest("sessions", "import", path, "--id", "cut");
      expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
    }
    expect((await told("sessions")).sessions).toHaveLength(1);
  });

  test.each(["claude-code", "codex", "roo", "anthropic", "openai", "gemini"])("as %s is read again", async (format) => {
    await importHarbour(folders);
    const path = join(folders.folder, `export-${format}`);
    await palimpsest("sessions", "export", "harbour", "--to", format, "--output", path);
    const imported = await told("sessions", "import", path, "--id", "again");
    expect(imported).toMatchObject({ id: "again", format, messages: 26 });
  });

  test("to Roo, which knows summaries, keeps what a condensation hides hidden", async () => {
    await importHarbour(folders);
    const condenseId = await foldHarbour(folders);
    const path = join(folders.folder, "api_conversation_history.json");
    await palimpsest("sessions", "export", "harbour", "--to", "roo", "--output", path);
    expect(await told("sessions", "import", path, "--id", "roo")).toMatchObject({ messages: 27, folds: 1 });
    const [before, after] = [await told("sessions", "show", "harbour"), await told("sessions", "show", "roo")];
    expect(after.folds).toEqual([expect.objectContaining({ foldId: condenseId })]);
    expect(after.viewTokens).toBe(before.viewTokens);
  });

  test("to another agent holds all that was said; with --view, only what is sent", async () => {
    await importHarbour(folders);
    await foldHarbour(folders);
    const all = (await palimpsest("sessions", "export", "harbour", "--to", "anthropic")).stdout;
    expect(JSON.parse(all).messages).toHaveLength(27);
    expect(all).toContain("relay K3");
    const view = (await palimpsest("sessions", "export", "harbour", "--to", "anthropic", "--view")).stdout;
    expect(JSON.parse(view).messages.length).toBeLessThan(27);
    expect(await palimpsest("sessions", "export", "harbour", "--view")).toMatchObject({ status: 2 });
  });
});

describe("delete", () => {
  test("needs --yes where there is nobody to ask, and then the whole id", async () => {
    await importHarbour(folders);
    const unasked = await palimpsest("sessions", "delete", "harbour-light");
    expect(unasked).toMatchObject({ status: 2, stderr: expect.stringContaining("Add --yes") });
    const short = await palimpsest("sessions", "delete", "harbour", "--yes");
    expect(short).toMatchObject({ status: 2, stderr: expect.stringContaining('which is "harbour-light"') });
    expect((await told("sessions")).sessions).toHaveLength(1);
    const done = await palimpsest("sessions", "delete", "harbour-light", "--yes");
    expect(done).toEqual({ status: 0, stdout: '"harbour-light" is deleted.\n', stderr: "" });
    expect(await palimpsest("sessions", "delete", "harbour-light", "--yes")).toMatchObject({ status: 1 });
    expect((await told("sessions")).sessions).toEqual([]);
  });

  test("asks a person, and does what the person says", async () => {
    await importHarbour(folders);
    const questions: string[] = [];
    const answering = (answer: boolean) => ({
      output: { write: () => undefined },
      ask: async (question: string) => {
        questions.push(question);
        return answer;
      },
    });
    expect(await deleteSession(["harbour"], answering(false))).toBe(1);
    expect((await told("sessions")).sessions).toHaveLength(1);
    expect(await deleteSession(["harbour"], answering(true))).toBe(0);
    expect((await told("sessions")).sessions).toEqual([]);
    expect(questions[0]).toBe('Delete "harbour-light" with its 26 messages? Nothing brings it back.');
  });
});
