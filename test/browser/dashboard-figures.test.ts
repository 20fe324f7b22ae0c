/** The figures of Now and Statement in the page are those of the session, and motion is left out where somebody wishes that. */
import { describe, expect, test } from "vitest";
import { counted, percent, shortNumber, usd, wholeNumber } from "../../dashboard/src/model/format.ts";
import { balanceText, foldBalances } from "../../dashboard/src/model/statement-series.ts";
import {
  expectVisibleFocus,
  findAccessibilityFaults,
  hasBrowser,
  keepScreenshot,
  openDashboard,
} from "../support/dashboard.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { listSessions, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 14_000;
/** Runs in the page, whose names Node does not know. */
const MOTION = 'getComputedStyle(document.querySelector(".bar span")).transitionDuration';

async function workedWorld() {
  const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
  const client = openAnthropic({ url: world.url, isMarked: true });
  client.say("Read all files.");
  await work(client, { name: "figures", turns: 14 });
  const [id = ""] = await listSessions(world.gateway.url);
  const session = await world.gateway.engine.session(id);
  return { world, session, hash: (screen: string) => `#/session/${encodeURIComponent(id)}/${screen}`, id };
}

describe.skipIf(!hasBrowser)("the figures", () => {
  test("of the statement: money against each alternative, each fold, and plots with the same ends", async () => {
    const { world, session, hash } = await workedWorld();
    const { page, incidents } = await openDashboard(world.gateway.url, { hash: hash("statement") });
    const statement = await session.statement();
    const history = await session.statementHistory();
    expect([statement.unpriced, history.folds.length > 1]).toEqual([0, true]);
    const card = (title: string) =>
      page.locator(".card", { has: page.getByRole("heading", { name: title, exact: true }) });
    await card("Spent").waitFor();
    expect(await card("Spent").textContent()).toContain(usd(statement.spentUsd));
    const { againstNothing, againstSummaryAt80 } = statement.savedUsd;
    const nothing = (await card("Against doing nothing").textContent()) ?? "";
    expect(nothing).toContain(`${usd(Math.abs(againstNothing))}${againstNothing < 0 ? "more spent" : "saved"}`);
    expect(nothing).toContain(usd(statement.withoutFoldsUsd));
    const summary = (await card("Against a summary at 80 %").textContent()) ?? "";
    expect(summary).toContain(`${usd(Math.abs(againstSummaryAt80))}${againstSummaryAt80 < 0 ? "more spent" : "saved"}`);
    expect(await card("Against the optimum").textContent()).toContain(`${statement.ratioToOptimum?.toFixed(2)} ×`);
    expect(await card("Cold calls").textContent()).toContain(wholeNumber(statement.coldCalls));

    // Each fold, the newest first.
    const balances = foldBalances(history.folds);
    await page.getByText(balanceText(balances)).waitFor();
    const rows = page.getByRole("region", { name: "Each fold" }).locator("tbody tr");
    expect(await rows.count()).toBe(Math.min(8, balances.length));
    for (const [index, fold] of balances.slice(0, 8).entries()) {
      const cells = await rows.nth(index).locator("td").allTextContents();
      expect([cells[0], ...cells.slice(3)]).toEqual([
        wholeNumber(fold.request + 1),
        shortNumber(fold.hiddenTokens),
        usd(fold.costUsd),
        usd(fold.earnedUsd),
        `${fold.hasPaid ? "yes, +" : "not yet, "}${usd(fold.netUsd)}`,
      ]);
    }

    // The lines end where the figures are.
    const labelsOfPlots = () =>
      page.locator(".plot svg").evaluateAll((all) => all.map((it) => it.getAttribute("aria-label")));
    const plots = await labelsOfPlots();
    expect(plots).toHaveLength(4);
    expect(plots[0]).toContain(
      `over 14 requests. At the end: nothing done ${usd(statement.withoutFoldsUsd)}, a summary at 80 % ${usd(statement.withSummaryAt80Usd)}, the optimum ${usd(statement.optimumUsd)}, spent ${usd(statement.spentUsd)}.`,
    );
    expect(plots[3]).toMatch(/^Forecast error: .* At the end: off by [\d.]+ %\.$/);
    const drawn = await page.locator(".plot path").evaluateAll((all) => all.map((it) => it.getAttribute("d")));
    for (const path of drawn) expect(path).toMatch(/^M\d/);
    expect(await page.locator(".plot").first().locator(".mark-line").count()).toBe(history.folds.length);

    // The figures of any other request, by keyboard and by mouse.
    const sizeAt = (request: number) =>
      `At request ${request}: with all that is hidden ${shortNumber((history.requests[request - 1]?.promptTokens ?? 0) + (history.requests[request - 1]?.hiddenTokens ?? 0))}, sent ${shortNumber(history.requests[request - 1]?.promptTokens ?? 0)}.`;
    const slider = page.getByRole("slider", { name: "The request whose figures" });
    await slider.press("ArrowLeft");
    await slider.press("ArrowLeft");
    await expect.poll(async () => (await labelsOfPlots())[1]).toContain(sizeAt(12));
    await expectVisibleFocus(page);
    await page.locator(".plot svg").first().hover();
    await expect.poll(async () => (await labelsOfPlots())[1]).toContain(sizeAt(7));
    await page.mouse.move(1, 1);
    await expect.poll(async () => (await labelsOfPlots())[1]).toContain(sizeAt(12));
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, "statement-figures");
    expect(incidents).toEqual([]);
  });

  test("of Now: the bar adds up to the window, turns left, the price of the next request, the last decision", async () => {
    const { world, hash, id } = await workedWorld();
    const { page, incidents } = await openDashboard(world.gateway.url, { hash: hash("now") });
    const reply = await fetch(`${world.gateway.url}/palimpsest/api/sessions/${encodeURIComponent(id)}/now`);
    const now = (await reply.json()) as {
      readonly promptTokens: number;
      readonly turnsLeft: number;
      readonly growthTokens: number;
      readonly nextRequest: { readonly cachedUsd: number; readonly coldUsd: number };
      readonly bar: readonly { readonly category: string; readonly tokens: number }[];
      readonly last: { readonly decision: { readonly sentence: string }; readonly cachedShare: number };
    };
    await page.getByText(`${wholeNumber(now.promptTokens)} of ${wholeNumber(WINDOW)} tokens`).waitFor();
    const text = (await page.locator("main").textContent()) ?? "";
    expect(text).toContain(`Turns left at this pace${wholeNumber(now.turnsLeft)}`);
    expect(text).toContain(`Each request adds about ${counted(Math.round(now.growthTokens), "token")}.`);
    expect(text).toContain(`Price of the next request${usd(now.nextRequest.cachedUsd)}`);
    expect(text).toContain(`${usd(now.nextRequest.coldUsd)} with a cold one`);
    expect(text).toContain(now.last.decision.sentence);
    expect(text).toContain(`${percent(now.last.cachedShare)} from the cache`);
    expect(now.bar.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(WINDOW);
    for (const name of ["System", "Tools", "You", "Tool results", "Stand-ins", "Free", "Reserved"]) {
      expect(text).toContain(name);
    }
    const widths = await page
      .locator(".bar span")
      .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().width));
    const bar = await page.locator(".bar").evaluate((it) => it.clientWidth);
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(bar, -1);
    expect(incidents).toEqual([]);
  });

  test("move only for who does not mind motion", async () => {
    const { world, hash } = await workedWorld();
    for (const [reducedMotion, seconds] of [
      ["reduce", "0s"],
      ["no-preference", "0.25s"],
    ] as const) {
      const { page } = await openDashboard(world.gateway.url, { hash: hash("now"), reducedMotion });
      await page.locator(".bar span").first().waitFor();
      expect([reducedMotion, await page.evaluate(MOTION)]).toEqual([reducedMotion, seconds]);
      const moving = await page.evaluate<number>("document.getAnimations().length");
      if (reducedMotion === "reduce") expect(moving).toBe(0);
    }
  });
});
