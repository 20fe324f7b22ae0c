/** The questions that the dashboard asks, and what a search finds: in dark and light, at both widths, without a fault that axe finds. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  expectNoOverflow,
  findAccessibilityFaults,
  hasBrowser,
  keepScreenshot,
  openDashboard,
} from "../support/dashboard.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { factOf } from "../support/gateway-script.ts";
import { listSessions, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 14_000;

/** The dialog fits the window, axe finds nothing, and it is closed again. */
async function look(page: Page, name: string, close: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  const box = await dialog.boundingBox();
  const width = page.viewportSize()?.width ?? 0;
  expect([name, (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 0) <= width]).toEqual([name, true, true]);
  await expectNoOverflow(page);
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await keepScreenshot(page, name);
  await dialog.getByRole("button", { name: close }).click();
  await expect.poll(() => dialog.count()).toBe(0);
}

describe.skipIf(!hasBrowser)("the dialogs", () => {
  test.each([
    ["light", 1_280],
    ["dark", 1_280],
    ["light", 390],
    ["dark", 390],
  ] as const)("bring back, rewind, delete and search in %s at %d pixels", async (colorScheme, width) => {
    const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
    const client = openAnthropic({ url: world.url });
    client.say("Read all files.");
    await work(client, { name: "dialogs", turns: 9 });
    const [id = ""] = await listSessions(world.gateway.url);
    const { log } = await (await world.gateway.engine.session(id)).snapshot();
    const hidden = log.find(({ condenseParent }) => condenseParent !== undefined)?.id ?? "";
    const hash = `#/session/${encodeURIComponent(id)}/strata?at=${encodeURIComponent(hidden)}`;
    const viewport = { width, height: width === 390 ? 844 : 900 };
    const { page, incidents } = await openDashboard(world.gateway.url, { hash, colorScheme, viewport });
    const dialog = page.getByRole("dialog");
    const suffix = `${colorScheme}-${width}`;

    await page.getByRole("button", { name: "Bring back…" }).click();
    await dialog
      .getByText(/tokens more in the next request, which then costs \$0\.\d+ more/)
      .first()
      .waitFor();
    await expect.poll(() => dialog.getByRole("button", { disabled: true }).count()).toBe(0);
    await look(page, `dialog-bring-back-${suffix}`, "Leave it hidden");

    await page.getByRole("button", { name: "Rewind to here…" }).click();
    await dialog.getByText(/would leave the log/).waitFor();
    await look(page, `dialog-rewind-${suffix}`, "Leave it as it is");

    await page.getByRole("link", { name: "Palimpsest" }).click();
    await page.getByRole("button", { name: `Delete ${id}` }).click();
    await look(page, `dialog-delete-${suffix}`, "Keep it");

    await page.getByRole("searchbox").fill(factOf("dialogs", 1).query);
    await page.getByRole("button", { name: "Search" }).click();
    await page
      .getByRole("article")
      .filter({ hasText: factOf("dialogs", 1).text })
      .first()
      .waitFor();
    await expectNoOverflow(page);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, `search-${suffix}`);
    await page.getByRole("searchbox").fill("nobody-ever-said-this");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
    expect([incidents, world.incidents]).toEqual([[], []]);
  });
});
