import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testWorkspace } from "../../test/support/workspaces.ts";
import { workspaceCheckpoints } from "./index.ts";

async function refusalOf(workspace: string, storageFolder: string): Promise<unknown> {
  const checkpoints = workspaceCheckpoints({ workspace, storageFolder });
  return checkpoints.save().then(
    () => "saved",
    (error: unknown) => error,
  );
}

function refused(reason: string): unknown {
  return expect.objectContaining({ code: "checkpoint-failed", message: expect.stringContaining(reason) });
}

/** Makes a folder the person's home until the test ends. */
function moveHome(folder: string): void {
  const { HOME, USERPROFILE } = process.env;
  Object.assign(process.env, { HOME: folder, USERPROFILE: folder });
  onTestFinished(() => {
    Object.assign(process.env, { HOME, USERPROFILE });
    if (HOME === undefined) delete process.env.HOME;
    if (USERPROFILE === undefined) delete process.env.USERPROFILE;
  });
}

test("refuses the root, the home folder and what holds it, and a person's own folders", async () => {
  const { folder, outside, storageFolder } = testWorkspace();
  const home = join(folder, "people", "ada");
  for (const name of ["Desktop", "Documents", "Downloads", "project"]) mkdirSync(join(home, name), { recursive: true });
  moveHome(home);
  expect(await refusalOf(parse(folder).root, storageFolder)).toEqual(refused("root"));
  expect(await refusalOf(home, storageFolder)).toEqual(refused("home folder"));
  expect(await refusalOf(join(folder, "people"), storageFolder)).toEqual(refused("home folder"));
  expect(await refusalOf(join(home, "Desktop"), storageFolder)).toEqual(refused("Desktop"));
  expect(await refusalOf(join(home, "Documents", "..", "Documents"), storageFolder)).toEqual(refused("Documents"));
  symlinkSync(join(home, "Downloads"), join(outside, "innocent"));
  expect(await refusalOf(join(outside, "innocent"), storageFolder)).toEqual(refused("Downloads"));
  symlinkSync(home, join(outside, "also-innocent"));
  expect(await refusalOf(join(outside, "also-innocent"), storageFolder)).toEqual(refused("home folder"));
  expect(await refusalOf(join(home, "project"), storageFolder)).toBe("saved");
});

test("refuses a workspace that became a link to the home folder since the last checkpoint", async () => {
  const { folder, outside, checkpoints } = testWorkspace({ "a.txt": "a" });
  await checkpoints.save();
  moveHome(outside);
  rmSync(folder, { recursive: true });
  symlinkSync(outside, folder);
  await expect(checkpoints.save()).rejects.toMatchObject({ code: "checkpoint-failed" });
});

test("refuses a workspace that is not there, or is a file", async () => {
  const { folder, storageFolder } = testWorkspace({ "a.txt": "a" });
  expect(await refusalOf(join(folder, "nowhere"), storageFolder)).toEqual(refused("does not exist"));
  expect(await refusalOf(join(folder, "a.txt"), storageFolder)).toEqual(refused("no folder"));
});

test("refuses a storage folder inside the workspace, and the reverse", async () => {
  const { folder, outside } = testWorkspace({ "sub/a.txt": "a" });
  expect(await refusalOf(folder, join(folder, ".checkpoints", "deep"))).toEqual(refused("lies inside it"));
  expect(await refusalOf(folder, folder)).toEqual(refused("lies inside"));
  expect(await refusalOf(join(folder, "sub"), folder)).toEqual(refused("lies inside the storage folder"));
  symlinkSync(folder, join(outside, "way-back"));
  expect(await refusalOf(folder, join(outside, "way-back", "storage"))).toEqual(refused("lies inside it"));
});

test("refuses a storage folder that holds other things or another workspace's checkpoints", async () => {
  const { folder, outside, storageFolder, checkpoints } = testWorkspace({ "a.txt": "a", "sub/b.txt": "b" });
  writeFileSync(join(outside, "thesis.txt"), "precious");
  expect(await refusalOf(folder, outside)).toEqual(refused("other files"));
  const mistaken = workspaceCheckpoints({ workspace: folder, storageFolder: outside });
  await expect(mistaken.remove()).rejects.toMatchObject({ code: "checkpoint-failed" });
  await checkpoints.save();
  expect(await refusalOf(join(folder, "sub"), storageFolder)).toEqual(refused("keeps checkpoints of"));
  writeFileSync(join(storageFolder, "palimpsest-checkpoints.json"), "{");
  await expect(checkpoints.list()).rejects.toThrow("damaged");
});
