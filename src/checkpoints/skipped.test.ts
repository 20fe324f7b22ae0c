import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, lstatSync, readdirSync, readFileSync, truncateSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testWorkspace, writeFiles } from "../../test/support/workspaces.ts";

test("leaves large files out, says so, and never removes or replaces them", async () => {
  const { folder, checkpoints } = testWorkspace(
    { "small.bin": "\0".repeat(100), "grows.bin": "x" },
    { maxFileBytes: 100 },
  );
  writeFiles(folder, { "deep/large.bin": "y".repeat(101) });
  const first = await checkpoints.save();
  expect(first).toMatchObject({ filesChanged: 2, skipped: [{ path: "deep/large.bin", reason: "too-large" }] });
  writeFiles(folder, { "grows.bin": "z".repeat(200), "new-large.bin": "n".repeat(200) });
  truncateSync(join(folder, "deep", "large.bin"), 5);
  const { kept, changed } = await checkpoints.restore(first.id);
  expect(changed).toEqual([]);
  expect(kept).toEqual([
    { path: "deep/large.bin", reason: "was-skipped" },
    { path: "grows.bin", reason: "unsaved" },
  ]);
  expect(lstatSync(join(folder, "grows.bin")).size).toBe(200);
  expect(existsSync(join(folder, "new-large.bin"))).toBe(true);
  expect((await checkpoints.list())[1]?.skipped).toEqual(first.skipped);
});

test.skipIf(process.platform === "win32")(
  "passes over sockets and pipes, and says so unless they are ignored",
  async () => {
    const { folder, checkpoints } = testWorkspace({ ".gitignore": "*.ignored\n", "deep/a.txt": "a" });
    for (const name of ["pipe", "pipe.ignored", "deep/pipe"]) execFileSync("mkfifo", [join(folder, name)]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, "s"), resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const { id, skipped } = await checkpoints.save();
    expect([...skipped].sort((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: "deep/pipe", reason: "special" },
      { path: "pipe", reason: "special" },
      { path: "s", reason: "special" },
    ]);
    await checkpoints.restore(id);
    expect(readdirSync(folder)).toContain("pipe");
  },
);

test.skipIf(process.platform !== "linux")("passes over names that are no UTF-8, and says so", async () => {
  const { folder, checkpoints } = testWorkspace({ "a.txt": "a", "replacement-\uFFFD.txt": "a name like any other" });
  execFileSync("sh", ["-c", "touch \"$(printf 'bad-\\377.txt')\""], { cwd: folder });
  const { id, filesChanged, skipped } = await checkpoints.save();
  expect(filesChanged).toBe(2);
  expect(skipped).toEqual([{ path: "bad-\uFFFD.txt", reason: "undecodable-name" }]);
  await checkpoints.restore(id);
  expect(readdirSync(folder)).toHaveLength(3);
});

test.skipIf(process.platform === "win32")(
  "passes over files and folders that it may not read, and never removes them",
  () => {
    const { folder, outside, storageFolder } = testWorkspace({ "a.txt": "a", "secret.txt": "s", "locked/in.txt": "i" });
    const script = `
    import { chmodSync } from "node:fs";
    import { workspaceCheckpoints } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
    const [workspace, storageFolder] = process.argv.slice(-2);
    const checkpoints = workspaceCheckpoints({ workspace, storageFolder });
    chmodSync(workspace + "/secret.txt", 0);
    chmodSync(workspace + "/locked", 0);
    const saved = await checkpoints.save();
    chmodSync(workspace + "/secret.txt", 0o644);
    chmodSync(workspace + "/locked", 0o755);
    const readable = await checkpoints.save();
    const restored = await checkpoints.restore(saved.id);
    console.log(JSON.stringify({ saved, readable, restored }));
  `;
    // The superuser may read everything: the test becomes nobody.
    const isRoot = process.getuid?.() === 0;
    const nobody = 65_534;
    if (isRoot) {
      chmodSync(join(folder, ".."), 0o777);
      for (const path of [
        folder,
        outside,
        ...["a.txt", "secret.txt", "locked", "locked/in.txt"].map((name) => join(folder, name)),
      ]) {
        chownSync(path, nobody, nobody);
      }
    }
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script, "--", folder, storageFolder], {
      encoding: "utf8",
      cwd: outside,
      ...(isRoot ? { uid: nobody, gid: nobody } : {}),
    });
    const skipped = [
      { path: "locked", reason: "unreadable" },
      { path: "secret.txt", reason: "unreadable" },
    ];
    expect(JSON.parse(output)).toMatchObject({
      saved: { filesChanged: 1, skipped },
      readable: { filesChanged: 2, skipped: [] },
      restored: {
        changed: [],
        kept: [
          { path: "locked/in.txt", reason: "was-skipped" },
          { path: "secret.txt", reason: "was-skipped" },
        ],
      },
    });
    expect(readFileSync(join(folder, "locked", "in.txt"), "utf8")).toBe("i");
  },
);
