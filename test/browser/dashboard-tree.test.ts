/** The tree of sessions: sub-agents of a real SDK stand below the session that started them, and appear by themselves. */
import { describe, expect, test } from "vitest";
import {
  expectNoOverflow,
  findAccessibilityFaults,
  hasBrowser,
  keepScreenshot,
  openDashboard,
} from "../support/dashboard.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

describe.skipIf(!hasBrowser)("the list of sessions", () => {
  test.each([
    ["light", 1_280],
    ["dark", 390],
  ] as const)(
    "in %s at %d pixels: a sub-agent stands below its parent as soon as it asks",
    async (colorScheme, width) => {
      const world = await startWorld();
      const talk = async (name: string, headers: Record<string, string>) => {
        const client = openAnthropic({ url: world.url, headers });
        client.say(`Read the notes of ${name}.`);
        await work(client, { name, turns: 1 });
      };
      await talk("main", { "x-session-id": "ses_a" });
      const { page, incidents } = await openDashboard(world.gateway.url, {
        colorScheme,
        viewport: { width, height: 844 },
      });
      await page.getByRole("link", { name: "session:ses_a", exact: true }).waitFor();
      await page.getByText("live", { exact: true }).waitFor();
      await talk("child", { "x-session-id": "ses_b", "x-parent-session-id": "ses_a" });
      await talk("grandchild", { "x-session-id": "ses_c", "x-parent-session-id": "ses_b" });
      const names = page.locator("td.name a");
      await expect
        .poll(() => names.allTextContents())
        .toEqual(["session:ses_a", "session:ses_a/ses_b", "session:ses_b/ses_c"]);
      await expect.poll(() => page.getByText("a sub-agent of the session above").count()).toBe(2);
      const lefts = await names.evaluateAll((all) => all.map((it) => it.getBoundingClientRect().left));
      expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
      expect(new Set(lefts).size).toBe(3);
      await expectNoOverflow(page);
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await keepScreenshot(page, `tree-${colorScheme}-${width}`);
      expect([incidents, world.incidents]).toEqual([[], []]);
    },
  );
});
