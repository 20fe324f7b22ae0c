/** The canvas of Strata under a real mouse: what it draws, what a hover tells, what a click opens, and the blocks of a message. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Geometry, geometryOf, TOGGLE } from "../../dashboard/src/model/strata-viewport.ts";
import {
  expectNoOverflow,
  findAccessibilityFaults,
  gridCount,
  hasBrowser,
  keepScreenshot,
  openDashboard,
} from "../support/dashboard.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { listSessions, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 14_000;

interface GridBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly scrollLeft: number;
  readonly scrollTop: number;
}

interface Grid extends GridBox {
  readonly geometry: Geometry;
}

async function gridOf(page: Page): Promise<Grid> {
  const box = await page.evaluate<GridBox>(`(() => {
    const it = document.querySelector(".strata");
    const { left, top } = it.getBoundingClientRect();
    return { left: left + it.clientLeft, top: top + it.clientTop, width: it.clientWidth, height: it.clientHeight,
      scrollLeft: it.scrollLeft, scrollTop: it.scrollTop };
  })()`);
  const totals = { rows: await gridCount(page, "aria-rowcount"), columns: await gridCount(page, "aria-colcount") };
  return { ...box, geometry: geometryOf("read", box, totals) };
}

/** The place of a cell in the canvas: the left edge of its column, and the middle of its row. */
function placeOf({ geometry, scrollLeft, scrollTop }: Grid, row: number, column: number) {
  const { labelWidth, columnWidth, headerHeight, rowHeight } = geometry;
  return {
    left: labelWidth + column * columnWidth - scrollLeft,
    middle: headerHeight + (row + 0.5) * rowHeight - scrollTop,
  };
}

async function moveTo(page: Page, grid: Grid, row: number, column: number): Promise<void> {
  const { left, middle } = placeOf(grid, row, column);
  await page.mouse.move(grid.left + left + grid.geometry.columnWidth / 2, grid.top + middle);
}

/** The colour of a pixel of the canvas, as #rrggbb. */
async function pixelAt(page: Page, x: number, y: number): Promise<string> {
  return page.evaluate<string>(`(() => {
    const canvas = document.querySelector(".strata canvas");
    const [r, g, b] = canvas.getContext("2d").getImageData(${Math.floor(x)}, ${Math.floor(y)}, 1, 1).data;
    return "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("");
  })()`);
}

async function colour(page: Page, name: string): Promise<string> {
  return page.evaluate<string>(
    `getComputedStyle(document.documentElement).getPropertyValue(${JSON.stringify(`--${name}`)}).trim()`,
  );
}

interface StrataReply {
  readonly messages: { readonly rows: readonly { readonly runs: readonly (readonly [number, number, string])[] }[] };
  readonly folds: readonly { readonly request: number }[];
}

describe.skipIf(!hasBrowser)("the canvas of Strata", () => {
  test.each(["light", "dark"] as const)(
    "in %s: states and folds are drawn, hovers tell, clicks open",
    async (colorScheme) => {
      const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
      const client = openAnthropic({ url: world.url, isMarked: true });
      client.say("Read all files.");
      await work(client, { name: "canvas", turns: 9 });
      const [id = ""] = await listSessions(world.gateway.url);
      const path = `/session/${encodeURIComponent(id)}/strata`;
      const { page, incidents } = await openDashboard(world.gateway.url, { hash: `#${path}`, colorScheme });
      await page
        .getByRole("gridcell")
        .getByText(/^Message/)
        .waitFor();
      await page.selectOption("select", "read");
      const reply = await fetch(`${world.gateway.url}/palimpsest/api/sessions/${encodeURIComponent(id)}/strata`);
      const { messages, folds } = (await reply.json()) as StrataReply;
      const grid = await gridOf(page);
      const shownRow = Math.floor(grid.scrollTop / grid.geometry.rowHeight) + 2;

      // Each fold is a line left of the request that showed it first; no other request has one.
      const lines = new Set(folds.map(({ request }) => request));
      expect(lines.size).toBeGreaterThan(0);
      const accent = await colour(page, "accent");
      for (let column = 1; column < 9; column++) {
        const { left, middle } = placeOf(grid, shownRow, column);
        const line = await pixelAt(page, Math.round(left) - 1, middle + grid.geometry.rowHeight / 2);
        expect([column, line === accent]).toEqual([column, lines.has(column)]);
      }

      // The middle of a cell has the colour of its state.
      const seen = new Set<string>();
      for (const [row, { runs }] of messages.rows.entries()) {
        for (const [first, , state] of runs) {
          const { left, middle } = placeOf(grid, row, first);
          if (middle < grid.geometry.headerHeight || middle > grid.height - 2) continue;
          const drawn = await pixelAt(page, left + grid.geometry.columnWidth / 2, middle);
          expect([row, first, state, drawn]).toEqual([row, first, state, await colour(page, state)]);
          seen.add(state);
        }
      }
      expect([...seen]).toEqual(expect.arrayContaining(["sent", "hidden", "stand-in"]));

      const readout = page.locator(".readout");
      await moveTo(page, grid, shownRow, 1);
      await expect.poll(() => readout.textContent()).toMatch(new RegExp(`^Message ${shownRow + 1}, .* request 2[,.]`));
      const [fold = 0] = lines;
      const { left } = placeOf(grid, 0, fold);
      await page.mouse.move(grid.left + left + grid.geometry.columnWidth / 2, grid.top + 20);
      await expect
        .poll(() => readout.textContent())
        .toMatch(new RegExp(`^Request ${fold + 1}: [\\d,]+ tokens.* Folded before it: .*, because `));
      await page.mouse.move(2, 2);
      await expect.poll(() => readout.textContent()).toMatch(/^Message \d+, .* the next request/);

      await moveTo(page, grid, shownRow, 1);
      await page.mouse.down();
      await page.mouse.up();
      await page
        .getByRole("region", { name: `Message ${shownRow + 1}`, exact: true })
        .locator("pre")
        .first()
        .waitFor();
      expect(incidents).toEqual([]);
    },
  );

  test("a message expands into its blocks, by mouse and by keyboard: a cleared result beside a text that is sent", async () => {
    const world = await startWorld();
    const session = await world.gateway.engine.session("blocks");
    const call = { type: "tool_use", id: "t", name: "read", input: { path: "a.ts" } } as const;
    const result = { type: "tool_result", tool_use_id: "t", content: "line of a file\n".repeat(600) } as const;
    const ask = () => session.recordRequest({ usage: { inputTokens: 100, outputTokens: 5 } });
    await session.append({ id: "m0", role: "user", content: "Read a.ts." });
    await session.append({ id: "m1", role: "assistant", content: [{ type: "text", text: "I read it." }, call] });
    await session.append({ id: "m2", role: "user", content: [result, { type: "text", text: "And be quick." }] });
    await ask();
    await session.clearResults(["m2"]);
    await ask();
    const { page, incidents } = await openDashboard(world.gateway.url, { hash: "#/session/blocks/strata" });
    const cell = page.getByRole("gridcell");
    await expect.poll(() => cell.textContent()).toMatch(/^Message 3, .*, 2 blocks, .*: stand-in in the next request/);
    const row = page.locator(".strata [role=row]");
    expect(await row.getAttribute("aria-expanded")).toBe("false");

    // By keyboard: the blocks are below their message.
    const grid = page.getByRole("treegrid");
    await grid.press("+");
    await expect.poll(() => gridCount(page, "aria-rowcount")).toBe(5);
    expect(await row.getAttribute("aria-expanded")).toBe("true");
    await grid.press("ArrowDown");
    await expect
      .poll(() => cell.textContent())
      .toMatch(/^Message 3, block 1 of 2, tool, tool result, .*: stand-in in the next request, .* Folded by clear/);
    await grid.press("ArrowDown");
    await expect.poll(() => cell.textContent()).toMatch(/^Message 3, block 2 of 2, you, text, .*: sent in the next/);
    expect(await row.getAttribute("aria-level")).toBe("2");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    const drawn = await gridOf(page);
    for (const [at, state] of [
      [3, "stand-in"],
      [4, "sent"],
    ] as const) {
      const { left, middle } = placeOf(drawn, at, 1);
      expect(await pixelAt(page, left + drawn.geometry.columnWidth / 2, middle)).toBe(await colour(page, state));
    }
    await grid.press("Enter");
    const panel = page.getByRole("region", { name: "Message 3", exact: true });
    await panel.locator(".current").getByText("And be quick.").waitFor();
    await expectNoOverflow(page);
    await keepScreenshot(page, "strata-blocks");

    // By mouse: the triangle before the name, and the button of the opened message.
    const toggle = async (at: number) => {
      // The opened message has scrolled the page.
      await page.evaluate("scrollTo(0, 0)");
      const now = await gridOf(page);
      await page.mouse.click(now.left + (TOGGLE.start + TOGGLE.end) / 2, now.top + placeOf(now, at, 0).middle);
    };
    await toggle(2);
    await expect.poll(() => gridCount(page, "aria-rowcount")).toBe(3);
    await toggle(1);
    await expect.poll(() => gridCount(page, "aria-rowcount")).toBe(5);
    await expect.poll(() => cell.textContent()).toMatch(/^Message 2, model, tool call, read, 2 blocks/);
    await grid.press("-");
    await expect.poll(() => gridCount(page, "aria-rowcount")).toBe(3);
    await panel.getByRole("button", { name: "Its 2 blocks as rows" }).click();
    await expect.poll(() => gridCount(page, "aria-rowcount")).toBe(5);
    expect(incidents).toEqual([]);
  });
});
