/** What agents say is text of others. None of it runs, loads anything, or breaks the page. */
import { describe, expect, test } from "vitest";
import { sized } from "../chaos/chaos-size.ts";
import { expectNoOverflow, gridCount, hasBrowser, keepScreenshot, openDashboard } from "../support/dashboard.ts";
import { startWorld } from "../support/gateway-world.ts";
import { hostilePayloads } from "../support/hostile-payloads.ts";

/** In the short version a page shows more of them. */
const PER_MESSAGE = sized({ full: 10, short: 40 });
const TEN_MEGABYTES = 10_000_000;

describe.skipIf(!hasBrowser)("hostile content", () => {
  test("200 payloads, as texts, results, names and ids: none is executed, none breaks the layout", async () => {
    const { gateway } = await startWorld();
    const payloads = hostilePayloads();
    expect(payloads).toHaveLength(200);
    const sessionId = '"><img src=x onerror=window.__executed=1>';
    const session = await gateway.engine.session(sessionId);
    for (let start = 0; start < payloads.length; start += PER_MESSAGE) {
      const texts = payloads.slice(start, start + PER_MESSAGE);
      const [first = ""] = texts;
      await session.append(
        { id: `say-${start}`, role: "user", content: texts.map((text) => ({ type: "text" as const, text })) },
        {
          id: `call-${start}`,
          role: "assistant",
          content: [{ type: "tool_use", id: `t${start}`, name: first.slice(0, 200), input: { first } }],
        },
        {
          id: `result-${start}`,
          role: "user",
          content: [{ type: "tool_result", tool_use_id: `t${start}`, content: texts.join("\n") }],
        },
      );
    }
    const { page, incidents } = await openDashboard(gateway.url);
    const address = `${gateway.url}/palimpsest/#/session/${encodeURIComponent(sessionId)}`;
    await page
      .getByText("List of sessions")
      .or(page.getByRole("link", { name: "onerror" }))
      .first()
      .waitFor();
    for (const [row, { id }] of (await session.log()).entries()) {
      await page.goto(`${address}/strata?at=${id}`);
      await page
        .getByRole("region", { name: `Message ${row + 1}`, exact: true })
        .locator("pre")
        .first()
        .waitFor();
      expect([
        id,
        await page.locator("main :is(img, iframe, script, style, link, object, form[action], math)").count(),
      ]).toEqual([id, 0]);
      await expectNoOverflow(page);
    }
    await keepScreenshot(page, "hostile-strata");
    for (const screen of ["now", "statement", "diff", "findings"]) {
      await page.goto(`${address}/${screen}`);
      await expect.poll(() => page.locator(".loading").count()).toBe(0);
      await expectNoOverflow(page);
    }
    await page.goto(`${gateway.url}/palimpsest/#/?q=${encodeURIComponent("script window executed")}`);
    await page.getByRole("heading", { name: /found$/ }).waitFor();
    await expectNoOverflow(page);
    expect([await page.evaluate("window.__executed"), incidents]).toEqual([undefined, []]);
    await page.goto(`${address}/strata`);
    await expect.poll(() => gridCount(page, "aria-rowcount")).toBe(3 * (payloads.length / PER_MESSAGE));
  });

  test("a line of ten megabytes is folded, and the page goes on", async () => {
    const { gateway } = await startWorld();
    const session = await gateway.engine.session("long-line");
    await session.append({ id: "long", role: "user", content: `begin ${"a".repeat(TEN_MEGABYTES)} end` });
    const { page, incidents } = await openDashboard(gateway.url, { hash: "#/session/long-line/strata?at=long" });
    const more = page.getByRole("button", { name: /characters are folded/ });
    await more.waitFor();
    expect(((await page.locator("pre").first().textContent()) ?? "").length).toBeLessThan(10_000);
    await more.click();
    await expect
      .poll(async () => ((await page.locator("pre").first().textContent()) ?? "").length)
      .toBeGreaterThan(40_000);
    await expectNoOverflow(page);
    expect(incidents).toEqual([]);
  });
});
