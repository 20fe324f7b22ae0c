/** What somebody does with the dashboard, on a live gateway with the SDK of a provider: from the first request to the last click. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { sized } from "../chaos/chaos-size.ts";
import {
  expectNoOverflow,
  findAccessibilityFaults,
  gridCount,
  hasBrowser,
  keepScreenshot,
  openDashboard,
} from "../support/dashboard.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { factOf, invalidRequests, toolOutput } from "../support/gateway-script.ts";
import { listSessions, work } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer, startWorld } from "../support/gateway-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const WINDOW = 14_000;

/** Opens the message that has the focus: what is beside the grid must be right too. */
async function openNewest(page: Page): Promise<void> {
  await page.getByRole("treegrid").press("Enter");
  await page
    .getByRole("region", { name: /^Message \d+$/ })
    .locator("pre")
    .first()
    .waitFor();
  await expectNoOverflow(page);
  expect(await findAccessibilityFaults(page)).toEqual([]);
}

describe.skipIf(!hasBrowser)("the dashboard", () => {
  test("watch a session grow and fold, read what is hidden, bring it back, undo, rewind, search, compare, delete", async () => {
    const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
    const { gateway, server } = world;
    const { page, incidents } = await openDashboard(gateway.url);
    await page.getByText("No session yet").waitFor();
    await page.getByRole("status").getByText("live", { exact: true }).waitFor();

    // It appears by itself, and grows by itself.
    const client = openAnthropic({ url: world.url });
    client.say("Read all files.");
    let outputs = await work(client, { name: "story", turns: 2 });
    const [id = ""] = await listSessions(gateway.url);
    await page.getByRole("link", { name: id }).click();
    await page.getByRole("treegrid").waitFor();
    await expect.poll(() => gridCount(page, "aria-colcount")).toBe(3);
    const rowsBefore = await gridCount(page, "aria-rowcount");
    outputs = await work(client, { name: "story", turns: 22, outputsBefore: outputs });
    await expect.poll(() => gridCount(page, "aria-colcount")).toBe(25);
    expect(await gridCount(page, "aria-rowcount")).toBeGreaterThan(rowsBefore + 40);
    await keepScreenshot(page, "story-strata");

    // A fold happened: what it hides can be read, word for word.
    const session = await gateway.engine.session(id);
    const { log } = await session.snapshot();
    const hidden = log.findIndex(
      (message) =>
        message.condenseParent !== undefined && JSON.stringify(message.content).includes(factOf("story", 1).text),
    );
    expect(hidden).toBeGreaterThan(0);
    const hiddenId = log[hidden]?.id ?? "";
    await page.goto(
      `${gateway.url}/palimpsest/#/session/${encodeURIComponent(id)}/strata?at=${encodeURIComponent(hiddenId)}`,
    );
    const panel = page.getByRole("region", { name: /^Message \d+$/ });
    const original = panel.getByRole("group", { name: "Result of a tool, the original" });
    await original.waitFor();
    expect(await original.textContent()).toBe(toolOutput("story", 1));
    expect(await panel.textContent()).toContain("hidden now");
    await panel.getByText(/^Was sent in place of it, and of \d+ messages/).waitFor();
    expect(await panel.getByRole("link", { name: /^request \d+$/ }).getAttribute("href")).toMatch(
      /\/diff\?at=\d+-\d+$/,
    );
    await keepScreenshot(page, "story-hidden");

    // Its price comes before the click, and it can be undone.
    await panel.getByRole("button", { name: "Bring back…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText(/^[1-9][\d,]* tokens more in the next request, which then costs \$0\.\d+ more .*, and \$0\.\d+ more/)
      .first()
      .waitFor();
    await keepScreenshot(page, "story-price");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: /^Only this message/ }).click();
    await page.getByText("It is back").waitFor();
    await panel.getByText("brought back now: hidden before, and sent again").waitFor();
    const isVisible = async () => JSON.stringify(await session.view()).includes(JSON.stringify(toolOutput("story", 1)));
    expect(await isVisible()).toBe(true);
    await page.getByRole("button", { name: "Undo…" }).click();
    await dialog.getByText("No message leaves the log").waitFor();
    await dialog.getByRole("button", { name: "Hide it again" }).click();
    await expect.poll(isVisible).toBe(false);

    // Once more, and the next request upstream has it byte for byte.
    await panel.getByRole("button", { name: "Bring back…" }).click();
    await dialog.getByRole("button", { name: /^Only this message/ }).click();
    await page.getByText("It is back").waitFor();
    outputs = await work(client, { name: "story", turns: 1, outputsBefore: outputs });
    expect(server.requests.at(-1)?.rawBody).toContain(JSON.stringify(toolOutput("story", 1)));
    expect(server.requests.at(-2)?.rawBody).not.toContain(JSON.stringify(toolOutput("story", 1)));

    // Compare the last two requests: the difference is ours, and it is told where it lies.
    await page.getByRole("link", { name: "Diff" }).click();
    await page.getByText("shared from the start").waitFor();
    await expect.poll(() => page.locator(".notice").textContent()).toMatch(/\d/);
    await keepScreenshot(page, "story-diff");

    // Search finds what is hidden, and leads to its place.
    await page.getByRole("link", { name: "Palimpsest" }).click();
    await page.getByRole("searchbox").fill(factOf("story", 3).query);
    await page.getByRole("button", { name: "Search" }).click();
    const hit = page
      .getByRole("article")
      .filter({ hasText: factOf("story", 3).text })
      .first();
    await hit.getByRole("link").click();
    await original.getByText(factOf("story", 3).text).waitFor();

    // Rewind, behind a preview.
    const { length } = await session.log();
    await panel.getByRole("button", { name: "Rewind to here…" }).click();
    await dialog.getByText(/messages would leave the log/).waitFor();
    await dialog.getByRole("button", { name: "Rewind" }).click();
    await expect.poll(async () => (await session.log()).length).toBeLessThan(length);

    // Delete, behind a question. The rewind stands below its session.
    await page.getByRole("link", { name: "Palimpsest" }).click();
    const aside = page.getByText(/rewound just now: [\d,]+ messages were set aside; still in Strata/);
    await aside.waitFor();

    // It can be taken back there, also when the page that rewound is long gone.
    await page.getByRole("button", { name: "Take it back…" }).click();
    await dialog.getByText(/messages would come back/).waitFor();
    await dialog.getByRole("button", { name: "Take it back" }).click();
    await expect.poll(async () => (await session.log()).length).toBe(length);
    await page.getByText(/set aside; taken back just now/).waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await page.getByRole("button", { name: "Take it back…" }).count()).toBe(0);
    await page.getByRole("button", { name: `Delete ${id}` }).click();
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(await listSessions(gateway.url)).toContain(id);
    await page.getByRole("button", { name: `Delete ${id}` }).click();
    await dialog.getByRole("button", { name: "Delete for ever" }).click();
    await expect.poll(() => listSessions(gateway.url)).not.toContain(id);
    await expect.poll(() => page.getByRole("link", { name: id, exact: true }).count()).toBe(0);
    expect([incidents, world.incidents, invalidRequests(server)]).toEqual([[], [], []]);
  });

  const looks = [["light", 1_280] as const, ["dark", 390] as const];
  const otherLooks = [["dark", 1_280] as const, ["light", 390] as const];
  test.each(sized({ full: [...looks, ...otherLooks], short: looks }))(
    "every screen in %s at %d pixels: readable, nothing that axe finds, nothing too wide",
    async (colorScheme, width) => {
      const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
      const client = openAnthropic({ url: world.url, isMarked: true, model: "claude-sonnet-4-5" });
      client.say(
        "Read all files of this repository, and tell me which of them say how often something is tried again.",
      );
      await work(client, { name: "looks", turns: 16 });
      const [id = ""] = await listSessions(world.gateway.url);
      const viewport = { width, height: width === 390 ? 844 : 900 };
      const { page, incidents } = await openDashboard(world.gateway.url, {
        colorScheme,
        viewport,
        reducedMotion: "reduce",
      });
      const screens = [
        "",
        ...["now", "strata", "statement", "diff", "findings"].map(
          (name) => `#/session/${encodeURIComponent(id)}/${name}`,
        ),
      ];
      for (const hash of screens) {
        await page.goto(`${world.gateway.url}/palimpsest/${hash}`);
        await page.locator("main h1, main h2").first().waitFor();
        await expect.poll(() => page.locator(".loading").count()).toBe(0);
        expect(await page.locator("[role=alert]").allInnerTexts()).toEqual([]);
        await expectNoOverflow(page);
        expect(await findAccessibilityFaults(page)).toEqual([]);
        if (hash.endsWith("/strata")) await openNewest(page);
        await keepScreenshot(page, `${hash.split("/").at(-1) || "sessions"}-${colorScheme}-${width}`);
      }
      expect(incidents).toEqual([]);
    },
  );

  test("verifies a session, exports it, and makes one of the export; pins a message", async () => {
    const world = await startWorld();
    const session = await world.gateway.engine.session("kept");
    const read = toolOutput("kept", 1);
    await session.append({ id: "m0", role: "user", content: "Read all files." });
    for (let turn = 0; turn < 30; turn++) {
      const id = `c${turn}`;
      await session.append(
        {
          id: `call-${turn}`,
          role: "assistant",
          content: [{ type: "tool_use", id, name: "Read", input: { file_path: "a.ts" } }],
        },
        { id: `result-${turn}`, role: "user", content: [{ type: "tool_result", tool_use_id: id, content: read }] },
      );
    }
    const { page, incidents } = await openDashboard(world.gateway.url);
    await page.getByRole("button", { name: "Verify kept" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("It is intact").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export kept" }).click(),
    ]);
    const exported = join(temporaryFolder(), "export.json");
    await download.saveAs(exported);
    expect(JSON.parse(readFileSync(exported, "utf8"))).toEqual(await session.export());
    writeFileSync(exported, readFileSync(exported, "utf8").replace('"id":"kept"', '"id":"copy"'));
    await page.locator("input[type=file]").setInputFiles(exported);
    await page.getByRole("link", { name: "copy" }).waitFor();
    expect(await (await world.gateway.engine.session("copy")).log()).toEqual(await session.log());

    await page.goto(`${world.gateway.url}/palimpsest/#/session/kept/strata?at=result-1`);
    await page.getByRole("button", { name: "Pin" }).click();
    await page.getByRole("button", { name: "Unpin" }).waitFor();
    expect((await session.log()).find(({ id }) => id === "result-1")?.important).toBe(true);
    expect(incidents).toEqual([]);
  });

  test("works by keyboard alone: move, open, close", async () => {
    const world = await startWorld();
    const client = openAnthropic({ url: world.url });
    client.say("Read all files.");
    await work(client, { name: "keys", turns: 3 });
    const [id = ""] = await listSessions(world.gateway.url);
    const { page } = await openDashboard(world.gateway.url, { hash: `#/session/${encodeURIComponent(id)}/strata` });
    const grid = page.getByRole("treegrid");
    await grid.waitFor();
    const rows = await gridCount(page, "aria-rowcount");
    await grid.focus();
    const cell = page.getByRole("gridcell");
    await expect.poll(() => cell.textContent()).toContain(`Message ${rows}`);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Home");
    await expect.poll(() => cell.textContent()).toMatch(new RegExp(`^Message ${rows - 1}, .* request 1\\.`));
    await page.keyboard.press("PageUp");
    await expect.poll(() => cell.textContent()).toMatch(/^Message 1, you, text, .* sent in request 1/);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Message 1");
    await page.getByRole("region", { name: "Message 1" }).getByText("Read all files.").waitFor();
  });

  test("says that the connection is lost, and comes back with what happened meanwhile", async () => {
    const server = await startServer();
    const store = memoryStore();
    const first = await startGatewayBefore(server, { store });
    const { url } = first.gateway;
    const { page } = await openDashboard(url);
    await page.getByText("live", { exact: true }).waitFor();
    await first.gateway.close();
    await page.getByText("connection lost").waitFor();
    const second = await startGatewayBefore(server, { store, port: Number(new URL(url).port) });
    await (await second.gateway.engine.session("made-meanwhile")).append({ role: "user", content: "hello" });
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("link", { name: "made-meanwhile" }).waitFor();
  });

  test("asks once for the token of a gateway that has one", async () => {
    const token = "a-token-of-32-characters-0123456";
    const world = await startWorld({ gateway: { token } });
    const { page } = await openDashboard(world.gateway.url);
    for (const wrong of ["a-wrong-one", "with a space", "ein-schlüssel\u{1f511}"]) {
      await page.getByLabel("Token").fill(wrong);
      await page.getByRole("button", { name: "Open" }).click();
      await page.getByRole("alert").getByText("The gateway refused that token").waitFor();
    }
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("No session yet").waitFor();
    await page.getByText("live", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("No session yet").waitFor();
    expect(page.url()).not.toContain(token);
  });
});
