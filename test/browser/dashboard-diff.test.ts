/** Diff with `--cache-diagnosis`: what the provider says of a cache miss stands beside what we say. */
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { findAccessibilityFaults, hasBrowser, keepScreenshot, openDashboard } from "../support/dashboard.ts";
import { anthropicClient } from "../support/gateway-anthropic-client.ts";
import { listSessions } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

describe.skipIf(!hasBrowser)("Diff", () => {
  test("shows the provider's own reason of a cache miss beside our prediction", async () => {
    const world = await startWorld({
      server: { reply: () => ({ type: "text", text: "Done." }) },
      gateway: { cache: { diagnosis: true } },
    });
    const client = anthropicClient({ url: world.url });
    const tool = (name: string): Anthropic.Tool => ({ name, input_schema: { type: "object" } });
    const talk = (turns: number) =>
      Array.from({ length: 2 * turns + 1 }, (_, at): Anthropic.MessageParam => {
        return { role: at % 2 === 0 ? "user" : "assistant", content: `${at}: ${"word ".repeat(400)}` };
      });
    const ask = (turns: number, tools: Anthropic.Tool[]) =>
      client.messages.create({ model: "claude-haiku-4-5", max_tokens: 100, messages: talk(turns), tools });
    await ask(1, [tool("read")]);
    await ask(2, [tool("read")]);
    await ask(3, [tool("read"), tool("write")]);
    const [id = ""] = await listSessions(world.gateway.url);
    const hash = `#/session/${encodeURIComponent(id)}/diff`;
    const { page, incidents } = await openDashboard(world.gateway.url, { hash });
    const cell = (name: string) => page.getByRole("row", { name }).getByRole("cell");
    await cell("its own reason").waitFor();
    expect(await cell("its own reason").textContent()).toMatch(
      /^the tools changed \(tools_changed\), and about [\d,]+ tokens/,
    );
    expect(await cell("our prediction").textContent()).toMatch(/^byte [\d,]+, in the tools, changed by the agent$/);
    await page.getByText("The agent changed its tools, which the provider reads before the messages").waitFor();
    expect(await cell("caused by").textContent()).toBe("the agent");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, "diff-diagnosis");
    // Of two that are not neighbours nobody was asked.
    await page.getByLabel("Compare request").fill("1");
    await expect.poll(() => cell("its own reason").count()).toBe(0);
    await cell("shared from the start").waitFor();
    expect([incidents, world.incidents]).toEqual([[], []]);
  });
});
