/** What the dashboard says where there is little to show, or nothing: no request yet, a session that is gone, a store that fails, a clock that jumped. */
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { expectNoOverflow, findAccessibilityFaults, hasBrowser, openDashboard } from "../support/dashboard.ts";
import { startWorld } from "../support/gateway-world.ts";
import { interceptStore } from "../support/intercepted-store.ts";

const SCREENS = ["now", "strata", "statement", "diff", "findings"];

describe.skipIf(!hasBrowser)("the dashboard says", () => {
  test("of a session without a request what is not known yet, and no number that is none", async () => {
    const { gateway } = await startWorld();
    await (await gateway.engine.session("new")).append({ id: "m0", role: "user", content: "Hello." });
    const { page, incidents } = await openDashboard(gateway.url, { hash: "#/session/new/now" });
    await page.getByText("how large the window is will be known with the first request").waitFor();
    for (const screen of SCREENS) {
      await page.goto(`${gateway.url}/palimpsest/#/session/new/${screen}`);
      await page.locator("main .card, main > p").first().waitFor();
      await expect.poll(() => page.locator(".loading").count()).toBe(0);
      expect([screen, await page.locator("main").textContent()]).toEqual([
        screen,
        expect.not.stringMatching(/NaN|undefined|\$0\b|Infinity/),
      ]);
      expect(await findAccessibilityFaults(page)).toEqual([]);
    }
    expect(incidents).toEqual([]);
  });

  test("that a session is gone where another tab deletes it, on every screen, and shows it again where it comes back", async () => {
    const { gateway } = await startWorld();
    const said = { id: "m0", role: "user", content: "Keep me." } as const;
    await (await gateway.engine.session("shared")).append(said);
    const { page, incidents } = await openDashboard(gateway.url, { hash: "#/session/shared/strata" });
    const cell = page.getByRole("gridcell");
    await expect.poll(() => cell.textContent()).toContain("Message 1");
    await page.getByText("live", { exact: true }).waitFor();
    const other = await openDashboard(gateway.url);
    await other.page.getByRole("button", { name: "Delete shared" }).click();
    await other.page.getByRole("button", { name: "Delete for ever" }).click();

    const gone = page.getByRole("heading", { name: "This session is not here" });
    await gone.waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    for (const screen of SCREENS) {
      await page.goto(`${gateway.url}/palimpsest/#/session/shared/${screen}`);
      await gone.waitFor();
      // It is told once, and nothing else is said of a session that is not there.
      expect([screen, await page.getByRole("alert").count()]).toEqual([screen, 1]);
      expect([screen, await page.locator("main .card").count()]).toEqual([screen, 1]);
    }
    await page.goto(`${gateway.url}/palimpsest/#/session/shared/strata`);
    await (await gateway.engine.session("shared")).append(said);
    await page.reload();
    await expect.poll(() => cell.textContent()).toContain("Message 1");
    await page.goto(`${gateway.url}/palimpsest/#/session/shared/diff?at=0-99`);
    await page.getByText("as soon as the agent has asked twice").waitFor();
    expect([incidents, other.incidents]).toEqual([[], []]);
  });

  test("what failed where the store does, and goes on when it answers again", async () => {
    let fails = false;
    const store = interceptStore(memoryStore(), {
      before: () => {
        if (fails) throw new Error("the disk is gone");
      },
    });
    const { gateway } = await startWorld({ gateway: { store } });
    await (await gateway.engine.session("kept")).append({ id: "m0", role: "user", content: "Hello." });
    const { page, incidents } = await openDashboard(gateway.url);
    await page.getByRole("link", { name: "kept" }).waitFor();
    fails = true;
    await page.reload();
    await page.getByRole("alert").first().waitFor();
    expect(await page.getByRole("alert").first().textContent()).toMatch(/store|disk/);
    await expectNoOverflow(page);
    fails = false;
    await page.reload();
    await page.getByRole("link", { name: "kept" }).waitFor();
    expect(incidents).toEqual([]);
  });

  test("that the gateway takes long, where its store hangs, and goes on when it answers", async () => {
    const held: (() => void)[] = [];
    let isHanging = false;
    const store = interceptStore(memoryStore(), {
      before: (call) => (isHanging && call === "list" ? new Promise<void>((done) => held.push(done)) : undefined),
    });
    const { gateway } = await startWorld({ gateway: { store } });
    await (await gateway.engine.session("slow")).append({ id: "m0", role: "user", content: "Hello." });
    const { page, incidents } = await openDashboard(gateway.url);
    await page.getByRole("link", { name: "slow" }).waitFor();
    isHanging = true;
    await page.clock.install();
    await page.reload();
    await page.getByText("Loading…").waitFor();
    await page.clock.fastForward(6_000);
    await page.getByText("The gateway takes long to answer.").waitFor();
    isHanging = false;
    for (const done of held) done();
    await page.getByRole("link", { name: "slow" }).waitFor();
    expect(incidents).toEqual([]);
  });

  test("what verify found in a session whose records somebody changed in the store", async () => {
    const memory = memoryStore();
    const read = async (...given: Parameters<typeof memory.read>) => {
      const records = await memory.read(...given);
      return records.map((record) => ({ ...record, body: record.body.replace("Pay 10 euros.", "Pay 90 euros.") }));
    };
    const { gateway } = await startWorld({ gateway: { store: { ...memory, read } } });
    const session = await gateway.engine.session("changed");
    await session.append({ id: "m0", role: "user", content: "Pay 10 euros." });
    await session.append({ id: "m1", role: "assistant", content: "Paid." });
    const { page, incidents } = await openDashboard(gateway.url);
    await page.getByRole("button", { name: "Verify changed" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Not all is what was written.").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Close" }).click();
    expect(incidents).toEqual([]);
  });

  test("which of the places that a search found are hidden now, and marks the words in them", async () => {
    const { gateway } = await startWorld();
    const session = await gateway.engine.session("found");
    const call = { type: "tool_use", id: "t", name: "read", input: { path: "tides.md" } } as const;
    const content = "The feed answers 640 pages an hour.\n".repeat(60);
    await session.append(
      { id: "m0", role: "user", content: "Read it." },
      { id: "m1", role: "assistant", content: [call] },
      { id: "m2", role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] },
    );
    await session.clearResults(["m2"]);
    const { page } = await openDashboard(gateway.url, { hash: "#/?q=feed%20pages" });
    const hit = page.getByRole("article").filter({ hasText: "a stand-in is sent for it" });
    await hit.getByRole("link", { name: "found, message 3" }).waitFor();
    expect((await hit.first().locator("mark").allTextContents()).slice(0, 2)).toEqual(["feed", "pages"]);
    await hit.getByRole("link").first().click();
    await page
      .getByRole("region", { name: "Message 3" })
      .getByText(/answers 640 pages/)
      .first()
      .waitFor();
  });

  test("that a time is none, where a store gives one that no calendar has", async () => {
    const memory = memoryStore();
    const list = async (...given: Parameters<typeof memory.list>) => {
      const sessions = await memory.list(...given);
      return sessions.map((session) => ({ ...session, updatedAt: 9e15 }));
    };
    const { gateway } = await startWorld({ gateway: { store: { ...memory, list } } });
    await (await gateway.engine.session("timeless")).append({ id: "m0", role: "user", content: "Hello." });
    const { page, incidents } = await openDashboard(gateway.url);
    await page.getByRole("link", { name: "timeless" }).waitFor();
    expect(await page.locator("td.when").allTextContents()).toEqual(["at no time"]);
    expect(incidents).toEqual([]);
  });

  test("a time that lies ahead as just now, where a clock jumped back", async () => {
    const { gateway } = await startWorld();
    await (await gateway.engine.session("ahead")).append({ id: "m0", role: "user", content: "Hello.", ts: 9e14 });
    const { page, incidents } = await openDashboard(gateway.url);
    await page.clock.setFixedTime(new Date("2001-01-01T00:00:00Z"));
    await page.reload();
    await page.getByRole("link", { name: "ahead" }).waitFor();
    expect(await page.locator("td.when").allTextContents()).toEqual(["just now"]);
    await page.goto(`${gateway.url}/palimpsest/#/session/ahead/strata`);
    await expect.poll(() => page.getByRole("gridcell").textContent()).toContain("Message 1");
    expect(incidents).toEqual([]);
  });
});
