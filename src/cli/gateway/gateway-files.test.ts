/** Only the newest checkpoints of a session's files stay on the disk. Each is a dozen processes of git. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { sessionFiles } from "../sessions/workspace-storage.ts";
import { openGatewayFiles } from "./gateway-files.ts";

const LOCATION = { type: "sqlite", path: "sessions.db", isDefault: true } as const;

test("the newest hundred stay, and can be restored", async () => {
  const folder = temporaryFolder();
  vi.stubEnv("PALIMPSEST_HOME", join(folder, "home"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const workspace = join(folder, "project");
  mkdirSync(workspace);
  const files = await openGatewayFiles({ folder: workspace, location: LOCATION });
  onTestFinished(() => files.close());
  const ids: string[] = [];
  for (let turn = 0; turn <= 120; turn++) {
    writeFileSync(join(workspace, "notes.txt"), `turn ${turn}`);
    const saved = await files.workspaceOf("s")?.save();
    ids.push(saved?.id ?? "");
  }
  const kept = sessionFiles({ location: LOCATION, sessionId: "s", workspace });
  await vi.waitFor(async () => expect(await kept.list()).toHaveLength(100), { timeout: 300_000, interval: 200 });
  const newest = await kept.list();
  expect(newest.map(({ id }) => id)).toEqual(ids.slice(-100).reverse());
  await kept.restore(ids[21] ?? "");
  expect(readFileSync(join(workspace, "notes.txt"), "utf8")).toBe("turn 21");
  await expect(kept.restore(ids[20] ?? "")).rejects.toMatchObject({ code: "not-found" });
});
