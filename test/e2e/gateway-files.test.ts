/** Files and messages rewound together through the gateway: real git, a real folder, clients of providers. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isStandIn } from "../../src/core/message/effective-view.ts";
import { sized } from "../chaos/chaos-size.ts";
import { askApi, clientOf, keptTurns, noted, startFilesWorld, turn } from "../support/gateway-files.ts";
import { scriptedCalls } from "../support/gateway-script.ts";
import { SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { fingerprints, personsGit, writeFiles } from "../support/workspaces.ts";

describe.each(sized({ full: SDK_KINDS, short: SDK_KINDS.slice(0, 1) }))("$name", ({ open }) => {
  test.each([true, false])(
    "each turn of a person has its files, and a rewind moves both; streaming %j",
    async (isStreaming) => {
      const world = await startFilesWorld();
      const client = open({ url: world.url, headers: { "x-palimpsest-session": "s" } });
      for (const said of ["one", "two", "three"]) {
        client.say(said);
        await client.ask(isStreaming);
        writeFiles(world.workspace.folder, { "notes.txt": said, [`${said}.txt`]: said });
      }
      const session = await world.gateway.engine.session("s");
      const [, , second] = await session.log();
      const preview = await askApi(world, "/sessions/s/rewind", { toMessage: second?.id, files: true, dryRun: true });
      expect(new Set(preview.body.files.changed.map(({ path, type }: never) => `${type} ${path}`))).toEqual(
        new Set(["written notes.txt", "removed two.txt", "removed three.txt"]),
      );
      expect([noted(world), (await session.log()).length]).toEqual(["three", 5]);

      const done = await askApi(world, "/sessions/s/rewind", { toMessage: second?.id, files: true });
      expect(done).toMatchObject({ status: 200, body: { messagesRemoved: 2, files: { kept: [] } } });
      expect([noted(world), noted(world, "one.txt"), noted(world, "two.txt")]).toEqual(["one", "one", undefined]);
      expect((await session.log()).length).toBe(3);

      expect((await askApi(world, "/sessions/s/rewind", { undo: true })).status).toBe(200);
      expect([noted(world), noted(world, "three.txt")]).toEqual(["three", "three"]);
      expect((await session.log()).length).toBe(5);
      expect(world.incidents).toEqual([]);
    },
  );
});

test("to right before what a person said gives what was there when they said it", async () => {
  const world = await startFilesWorld();
  const client = clientOf(world, "s");
  await turn(world, client, "one");
  await turn(world, client, "two");
  const session = await world.gateway.engine.session("s");
  const [first] = await session.log();
  await askApi(world, "/sessions/s/rewind", { toMessage: first?.id, includeMessage: false, files: true });
  expect([noted(world), (await session.log()).length]).toEqual(["empty", 0]);
});

test("results of calls, side calls and sub-agents make none, and neither does a request that is sent again", async () => {
  const calls = [{ id: "call_1", name: "read_file", input: { path: "a" } }];
  const world = await startFilesWorld();
  const headers = { "x-palimpsest-session": "s" };
  const client = clientOf(world, "s");
  world.server.script({ type: "tool-calls", calls, text: "Reading." });
  client.say("Read it.");
  await client.ask(true);
  client.giveOutputs(["what it holds"]);
  await client.ask(true);
  expect(await keptTurns(world, "s")).toHaveLength(1);
  client.history.pop();
  await client.ask(true);
  expect(await keptTurns(world, "s")).toHaveLength(1);
  const title = {
    model: "claude-haiku-4-5",
    max_tokens: 100,
    messages: [{ role: "user", content: "Give this talk a title: Read it." }],
  };
  const asked = { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" };
  await fetch(`${world.url()}/v1/messages`, {
    method: "POST",
    headers: { ...asked, ...headers },
    body: JSON.stringify(title),
  });
  const main = { "x-claude-code-session-id": "abc" };
  const claude = clientOf(world, "", { ...main });
  const sub = clientOf(world, "", { ...main, "x-claude-code-agent-id": "a1" });
  for (const agent of [claude, sub]) {
    agent.say("Look into it.");
    await agent.ask(true);
  }
  expect(await keptTurns(world, "s")).toHaveLength(1);
  expect(await keptTurns(world, "claude-code:abc")).toHaveLength(1);
  expect(await keptTurns(world, "claude-code:abc/a1")).toEqual([]);
  expect(world.incidents).toEqual([]);
});

test("where an agent goes back by itself, its next turn has the files as they are then", async () => {
  const world = await startFilesWorld();
  const client = clientOf(world, "s");
  await turn(world, client, "one");
  await turn(world, client, "two");
  client.history.splice(2);
  await turn(world, client, "Something else, please.");
  const session = await world.gateway.engine.session("s");
  const said = await session.log();
  expect(said.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  const rewind = { toMessage: said.at(-1)?.id, includeMessage: false, files: true };
  expect(await askApi(world, "/sessions/s/rewind", rewind)).toMatchObject({ body: { messagesRemoved: 1 } });
  expect(noted(world)).toBe("two");
  expect(world.incidents).toEqual([]);
});

test("a turn whose prompt is folded has its files at the same place", async () => {
  const window = 32_000;
  const world = await startFilesWorld({
    reply: scriptedCalls(),
    contextWindow: window,
    gateway: { windows: { all: window } },
  });
  const client = clientOf(world, "s");
  client.say("Read all files and tell what they export.");
  await work(client, { name: "long", turns: 30 });
  client.say("Now write it down.");
  await client.ask(true);
  const session = await world.gateway.engine.session("s");
  const said = (await session.log()).filter((message) => !isStandIn(message));
  expect((await session.folds()).length).toBeGreaterThan(0);
  const [newest, first, ...others] = await keptTurns(world, "s");
  expect([newest?.messages, first?.messages, others]).toEqual([said.length - 1, 0, []]);
  // Results of the calls came with it: they stay.
  const rewind = { toVersion: newest?.version, files: true, dryRun: true };
  expect(await askApi(world, "/sessions/s/rewind", rewind)).toMatchObject({ body: { filesId: newest?.filesId } });
});

test("two sessions in one folder keep files of their own turns, each of its own", async () => {
  const world = await startFilesWorld();
  const [one, other] = [clientOf(world, "one"), clientOf(world, "other")];
  await turn(world, one, "one says", "one.txt");
  await turn(world, other, "other says", "other.txt");
  await Promise.all([turn(world, one, "more of one", "one.txt"), turn(world, other, "more of other", "other.txt")]);
  expect([await keptTurns(world, "one"), await keptTurns(world, "other")].map(({ length }) => length)).toEqual([2, 2]);
  const first = (await (await world.gateway.engine.session("other")).log())[0];
  await askApi(world, "/sessions/other/rewind", { toMessage: first?.id, files: true });
  // The folder is one: it is as it was when that was said.
  expect([noted(world, "one.txt"), noted(world, "other.txt")]).toEqual(["one says", undefined]);
  await askApi(world, "/sessions/other/rewind", { undo: true });
  expect([noted(world, "one.txt"), noted(world, "other.txt")]).toEqual(["more of one", "more of other"]);
});

test("a person's own repository is not touched", async () => {
  const world = await startFilesWorld({
    files: { "notes.txt": "empty\n", ".gitignore": "secret\n", secret: "kept\n" },
  });
  const { folder } = world.workspace;
  personsGit(folder, "init", "-q");
  personsGit(folder, "add", ".");
  personsGit(folder, "commit", "-qm", "mine");
  writeFiles(folder, { "notes.txt": "staged\n" });
  personsGit(folder, "add", ".");
  writeFiles(folder, { "notes.txt": "not staged\n" });
  const state = () => ({
    status: personsGit(folder, "status", "--porcelain=v2", "--branch"),
    refs: personsGit(folder, "for-each-ref"),
    objects: Object.keys(fingerprints(join(folder, ".git", "objects"))),
    config: fingerprints(join(folder, ".git")).config,
  });
  const before = state();
  const client = clientOf(world, "s");
  await turn(world, client, "one");
  await turn(world, client, "two");
  const [first] = await (await world.gateway.engine.session("s")).log();
  await askApi(world, "/sessions/s/rewind", { toMessage: first?.id, files: true });
  expect([noted(world), noted(world, "secret")]).toEqual(["not staged", "kept"]);
  expect(state()).toEqual(before);
});

test("a gateway without files, and a session without, refuse to move them, and say what to do", async () => {
  const world = await startFilesWorld({ gateway: { workspaceOf: undefined } });
  await turn(world, clientOf(world, "s"), "one");
  const refused = await askApi(world, "/sessions/s/rewind", { toVersion: 0, files: true });
  expect([refused.status, refused.body.error.code]).toEqual([409, "no-file-checkpoints"]);
  expect(refused.body.error.message).toContain("palimpsest up --checkpoints FOLDER");
  expect((await askApi(world, "/sessions/s/rewind", { toVersion: 0, files: false })).status).toBe(200);

  const withFiles = await startFilesWorld();
  await (await withFiles.gateway.engine.session("new")).append({ role: "user", content: "imported" });
  const none = await askApi(withFiles, "/sessions/new/rewind", { toVersion: 0, files: true });
  expect([none.status, none.body.error.code]).toEqual([409, "no-file-checkpoints"]);
});

test("deleting a session forgets its files", async () => {
  const world = await startFilesWorld();
  await turn(world, clientOf(world, "s"), "one");
  const storage = join(world.workspace.storageFolder, "s");
  expect(Object.keys(fingerprints(storage)).length).toBeGreaterThan(0);
  const headers = { "content-type": "application/json" };
  const deleted = await fetch(`${world.gateway.url}/palimpsest/api/sessions/s`, { method: "DELETE", headers });
  expect([deleted.status, existsSync(storage), noted(world)]).toEqual([200, false, "one"]);
});
