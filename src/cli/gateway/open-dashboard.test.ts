import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { browserCommand, dashboardUrl, openInBrowser } from "./open-dashboard.ts";

const URL = dashboardUrl("http://127.0.0.1:7717");

test("is below the gateway's own path", () => {
  expect(URL).toBe("http://127.0.0.1:7717/palimpsest/");
});

test.each([
  ["darwin", {}, "open"],
  ["win32", {}, "explorer.exe"],
  ["linux", {}, "xdg-open"],
  ["linux", { BROWSER: "firefox" }, "firefox"],
] as const)("on %s with %j it is opened by %s", (platform, environment, program) => {
  expect(browserCommand(platform, environment)).toEqual([program]);
});

test("is opened by the person's browser", async () => {
  const folder = temporaryFolder();
  const [browser, opened] = [join(folder, "browser"), join(folder, "opened")];
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`);
  chmodSync(browser, 0o755);
  await openInBrowser(URL, { notes: { write: () => true }, environment: { BROWSER: browser } });
  await vi.waitFor(() => expect(readFileSync(opened, "utf8")).toBe(URL), { timeout: 300_000 });
});

test("where no browser can be started, a note tells the address", async () => {
  const told: string[] = [];
  const notes = { write: (text: string) => told.push(text) > 0 };
  await openInBrowser(URL, { notes, environment: { BROWSER: join(temporaryFolder(), "missing") } });
  expect(told.join("")).toContain(`Open ${URL} yourself.`);
});
