import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { startWorld } from "../../../test/support/gateway-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { PI_RECALL_EXTENSION } from "./pi-extension.ts";

interface RegisteredTool {
  readonly name: string;
  readonly parameters: { readonly type: string };
  execute(callId: string, parameters: object): Promise<{ readonly content: readonly { readonly text: string }[] }>;
}

async function loadFor(url: string): Promise<readonly RegisteredTool[]> {
  const path = join(temporaryFolder(), "palimpsest-recall.mjs");
  writeFileSync(path, PI_RECALL_EXTENSION.replaceAll("{url}", url));
  const { default: extend } = await import(pathToFileURL(path).href);
  const tools: RegisteredTool[] = [];
  await extend({ registerTool: (tool: RegisteredTool) => tools.push(tool) });
  return tools;
}

test("registers the gateway's tools, which read back what a session hides; errors are thrown as pi wants it", async () => {
  const { gateway } = await startWorld();
  const session = await gateway.engine.session("s");
  for (let at = 0; at < 40; at++) {
    const content = at === 1 ? "The harbour code is 4711." : `${at} `.repeat(200);
    await session.append({ id: `m${at}`, role: at % 2 === 0 ? "user" : "assistant", content });
  }
  await session.condense();
  const tools = await loadFor(gateway.url);
  const recall = tools.find(({ name }) => name === "palimpsest_recall");
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["palimpsest_expand", "palimpsest_pin"]));
  expect(recall?.parameters.type).toBe("object");
  const found = await recall?.execute("1", { session: "s", query: "harbour code" });
  expect(found?.content.map(({ text }) => text).join()).toContain("4711");
  await expect(recall?.execute("2", { session: "none", query: "x" })).rejects.toThrow(/session/);
});

test("pi starts without them where the gateway does not answer", async () => {
  expect(await loadFor("http://127.0.0.1:9")).toEqual([]);
});
