/** A rewind from the dashboard, with the agent's files, behind a preview; and back. */
import { describe, expect, test } from "vitest";
import { findAccessibilityFaults, hasBrowser, keepScreenshot, openDashboard } from "../support/dashboard.ts";
import { clientOf, noted, startFilesWorld, turn } from "../support/gateway-files.ts";

describe.skipIf(!hasBrowser)("a rewind with files", () => {
  test("shows which files would change, moves them with the messages, and can be taken back", async () => {
    const world = await startFilesWorld();
    const client = clientOf(world, "s");
    for (const said of ["one", "two", "three"]) await turn(world, client, said);
    const session = await world.gateway.engine.session("s");
    const log = await session.log();
    const { page, incidents } = await openDashboard(world.gateway.url, {
      hash: `#/session/s/strata?at=${encodeURIComponent(log[2]?.id ?? "")}`,
    });
    const before = noted(world);
    await page.getByRole("button", { name: "Rewind to here…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/also the agent's files/).check();
    await dialog.getByText("notes.txt is written").waitFor();
    expect([noted(world), (await session.log()).length]).toEqual([before, log.length]);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, "rewind-files");
    await dialog.getByRole("button", { name: "Rewind" }).click();
    await page.getByText("The session ends here now").waitFor();
    expect((await session.log()).length).toBe(3);
    expect(noted(world)).not.toBe(before);

    await page.getByRole("button", { name: "Take it back…" }).click();
    await dialog.getByText(/would come back/).waitFor();
    await dialog.getByRole("button", { name: "Take it back" }).click();
    await expect.poll(async () => (await session.log()).length).toBe(log.length);
    expect(noted(world)).toBe(before);
    expect([incidents, world.incidents]).toEqual([[], []]);
  });
});
