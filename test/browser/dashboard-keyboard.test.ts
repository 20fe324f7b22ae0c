/** Everything that the dashboard can do to a session, by keyboard alone, with a focus that can be seen at each step. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectVisibleFocus, focusedName, hasBrowser, openDashboard, tabTo } from "../support/dashboard.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { toolOutput } from "../support/gateway-script.ts";
import { listSessions, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 14_000;

/** Moves from the newest message to one of them, and opens it. */
async function openMessage(page: Page, row: number): Promise<void> {
  const cell = page.getByRole("gridcell");
  await tabTo(page, "Messages by requests");
  const countRows = async () => Number(await page.getByRole("treegrid").getAttribute("aria-rowcount"));
  // The grid is there before the session's data has been read.
  await expect.poll(countRows).toBeGreaterThan(row);
  const rows = await countRows();
  for (let at = rows - 1; at > row; at--) await page.keyboard.press("ArrowUp");
  await expect.poll(() => cell.textContent()).toMatch(new RegExp(`^Message ${row + 1},`));
  await page.keyboard.press("Enter");
  await expect.poll(() => focusedName(page)).toBe(`Message ${row + 1}`);
  await expectVisibleFocus(page);
}

describe.skipIf(!hasBrowser)("by keyboard alone", () => {
  test("bring back, undo, rewind and take it back, delete", async () => {
    const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
    const client = openAnthropic({ url: world.url });
    client.say("Read all files.");
    await work(client, { name: "keys", turns: 10 });
    const [id = ""] = await listSessions(world.gateway.url);
    const session = await world.gateway.engine.session(id);
    const { log } = await session.snapshot();
    const hidden = log.findIndex(
      ({ condenseParent, content }) =>
        condenseParent !== undefined &&
        JSON.stringify(content).includes(JSON.stringify(toolOutput("keys", 1)).slice(1, -1)),
    );
    expect(hidden).toBeGreaterThan(0);
    const { page, incidents } = await openDashboard(world.gateway.url, { reducedMotion: "reduce" });
    await page.getByRole("link", { name: id }).waitFor();
    await tabTo(page, id);
    await page.keyboard.press("Enter");
    await page
      .getByRole("gridcell")
      .getByText(/^Message/)
      .waitFor();
    const rows = await page.evaluate<number>(
      `fetch("api/sessions/${encodeURIComponent(id)}/strata").then((it) => it.json()).then((it) => it.messages.rows.findIndex((row) => row.id === ${JSON.stringify(log[hidden]?.id)}))`,
    );
    await openMessage(page, rows);

    const isVisible = async () => JSON.stringify(await session.view()).includes(JSON.stringify(toolOutput("keys", 1)));
    await page.getByRole("button", { name: "Bring back…" }).waitFor();
    await tabTo(page, "Bring back…");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText(/tokens more/)
      .first()
      .waitFor();
    // Escape is no.
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => focusedName(page)).toBe("Bring back…");
    expect(await isVisible()).toBe(false);
    await page.keyboard.press("Enter");
    await dialog
      .getByText(/tokens more/)
      .first()
      .waitFor();
    await tabTo(page, /^Only this message/);
    await page.keyboard.press("Enter");
    await expect.poll(isVisible).toBe(true);

    // The way back has the focus.
    await expect.poll(() => focusedName(page)).toBe("Undo…");
    await expectVisibleFocus(page);
    await page.keyboard.press("Enter");
    await dialog.getByText("No message leaves the log").waitFor();
    await tabTo(page, "Hide it again");
    await page.keyboard.press("Enter");
    await expect.poll(isVisible).toBe(false);

    const { length } = await session.log();
    await expect.poll(() => dialog.count()).toBe(0);
    await tabTo(page, "Rewind to here…");
    await page.keyboard.press("Enter");
    await dialog.getByText(/messages would leave the log/).waitFor();
    await tabTo(page, "Rewind");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await session.log()).length).toBeLessThan(length);
    await expect.poll(() => focusedName(page)).toBe("Take it back…");
    await page.keyboard.press("Enter");
    await dialog.getByText(/would come back/).waitFor();
    await tabTo(page, "Take it back");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await session.log()).length).toBe(length);

    await expect.poll(() => dialog.count()).toBe(0);
    await tabTo(page, /all sessions/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: `Delete ${id}` }).waitFor();
    await tabTo(page, `Delete ${id}`);
    await page.keyboard.press("Enter");
    await tabTo(page, "Delete for ever");
    await page.keyboard.press("Enter");
    await expect.poll(() => listSessions(world.gateway.url)).toEqual([]);
    await page.getByText("No session yet").waitFor();
    expect([incidents, world.incidents]).toEqual([[], []]);
  });
});
