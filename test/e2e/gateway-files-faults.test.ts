/** Where files cannot be kept, an agent does not notice: nothing fails, it is counted each time and told once. */
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PalimpsestError } from "../../src/core/errors.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import {
  askApi,
  clientOf,
  eventually,
  fakeGit,
  keptTurns,
  noted,
  startFilesWorld,
  turn,
} from "../support/gateway-files.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { canMount, smallDisk } from "../support/temporary-folder.ts";

const FAILED = "checkpoint: checkpoint-failed";

test("without git every request goes on; it is counted for each turn, told once, and given up after three", async () => {
  const world = await startFilesWorld({ git: (outside) => join(outside, "no-such-git") });
  const client = clientOf(world, "s");
  for (const said of ["one", "two", "three", "four", "five"]) await turn(world, client, said);
  expect(world.sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(world.incidents).toEqual([FAILED, FAILED, FAILED]);
  expect(world.lines).toEqual([
    expect.stringMatching(/^no file checkpoint was made: Checkpoints need git, .*no-such-git/),
  ]);
  expect(await keptTurns(world, "s")).toEqual([]);
  expect((await askApi(world, "/sessions/s/rewind", { toVersion: 0, files: true })).status).toBe(409);
});

test("a git that hangs holds the end of one reply up for as long as is allowed, and is not asked again meanwhile", async () => {
  const script = (outside: string) =>
    `case "$*" in *--version*) echo git version 2.45.0; exit;; esac\necho $$ >> ${outside}/started\nexec sleep 3600`;
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const world = await startFilesWorld({
    git: (outside) => fakeGit(outside, script(outside)),
    signal: stop.signal,
    gateway: { limits: { checkpointTimeoutMs: 300 } },
  });
  const client = clientOf(world, "s");
  for (const said of ["one", "two", "three", "four"]) await turn(world, client, said);
  expect(world.sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(world.incidents).toEqual([FAILED, FAILED, FAILED]);
  expect(world.lines).toHaveLength(1);
  // The requests are in the session as ever.
  expect((await askApi(world, "/sessions/s")).body.messages.log).toBe(7);
});

test("one failure does not end it: the next turn has its files again", async () => {
  let isBroken = true;
  const world = await startFilesWorld({
    wrap: (files) => ({
      ...files,
      save: async (options) => {
        if (isBroken) throw new Error("the disk is full");
        return files.save(options);
      },
    }),
  });
  const client = clientOf(world, "s");
  await turn(world, client, "one");
  isBroken = false;
  await turn(world, client, "two");
  expect(world.incidents).toEqual(["checkpoint: Error"]);
  expect(await keptTurns(world, "s")).toMatchObject([{ messages: 2 }]);
});

test("a store that fails for many turns does not end it: files are kept again when it is back", async () => {
  let isBroken = true;
  const store = interceptStore(memoryStore(), {
    before: (call) => {
      if (isBroken && call === "saveCheckpoint") throw new PalimpsestError("store-failed", "The disk is full.");
    },
  });
  const world = await startFilesWorld({ gateway: { store } });
  const client = clientOf(world, "s");
  for (const said of ["one", "two", "three", "four"]) await turn(world, client, said);
  expect(await keptTurns(world, "s")).toEqual([]);
  isBroken = false;
  await turn(world, client, "five");
  expect(await keptTurns(world, "s")).toMatchObject([{ messages: 8 }]);
  expect(world.sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(world.incidents.filter((what) => what === "checkpoint: store-failed")).toHaveLength(4);
});

test("a program that cannot say where the files of a session are keeps none, and an agent does not notice", async () => {
  const workspaceOf = () => {
    throw new TypeError("no folder");
  };
  const world = await startFilesWorld({ gateway: { workspaceOf } });
  await turn(world, clientOf(world, "s"), "one");
  expect((await askApi(world, "/sessions/s")).body.messages.log).toBe(1);
  expect(new Set(world.incidents)).toEqual(new Set(["checkpoint: TypeError"]));
});

test("a folder in the place of the storage is no storage, and an agent does not notice", async () => {
  const world = await startFilesWorld();
  mkdirSync(world.workspace.storageFolder);
  writeFileSync(join(world.workspace.storageFolder, "s"), "a file where a folder should be");
  await turn(world, clientOf(world, "s"), "one");
  expect([world.incidents, noted(world)]).toEqual([[FAILED], "one"]);
});

test.skipIf(!canMount)("a disk that is read-only, or full, keeps no files, and an agent does not notice", async () => {
  const disk = smallDisk(64);
  const world = await startFilesWorld({ storageFolder: disk.folder, files: { "notes.txt": "x".repeat(200_000) } });
  const client = clientOf(world, "s");
  disk.setReadOnly(true);
  await turn(world, client, "one");
  disk.setReadOnly(false);
  writeFileSync(join(disk.folder, "filler"), "y".repeat(60_000));
  await turn(world, client, "two");
  expect([world.incidents, noted(world)]).toEqual([[FAILED, FAILED], "two"]);
});

test("the reply begins before the files are saved, and ends when they are", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const world = await startFilesWorld({
    wrap: (files) => ({ ...files, save: (options) => gate.then(() => files.save(options)) }),
  });
  const reply = await startReply(world.url());
  await eventually(() => expect(reply.status()).toBe(200));
  // The upstream is done with it.
  await eventually(() => expect(world.server.requests).toMatchObject([{ outcome: "answered" }]));
  expect(reply.text()).not.toContain("message_stop");
  expect(reply.isEnded()).toBe(false);
  release();
  await reply.ended;
  expect(reply.text()).toContain("message_stop");
  expect(await keptTurns(world, "s")).toHaveLength(1);
});

/** A streamed reply, as it comes. */
async function startReply(url: string) {
  let text = "";
  let status: number | undefined;
  let isEnded = false;
  const body = {
    model: "claude-haiku-4-5",
    max_tokens: 100,
    stream: true,
    tools: [{ name: "edit", input_schema: { type: "object" } }],
    messages: [{ role: "user", content: "Go." }],
  };
  const headers = { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" };
  const ended = new Promise<void>((resolve, reject) => {
    const asked = request(`${url}/v1/messages`, {
      method: "POST",
      headers: { ...headers, "x-palimpsest-session": "s" },
    });
    asked.on("error", reject).on("response", (response) => {
      status = response.statusCode;
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        isEnded = true;
        resolve();
      });
    });
    asked.end(JSON.stringify(body));
  });
  return { status: () => status, text: () => text, isEnded: () => isEnded, ended };
}
