import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { startModelServer } from "../../src/testing/index.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { AGENTS } from "./agents/index.ts";
import { installAgent } from "./install-agent.ts";
import { runAgent } from "./run-agent.ts";
import { FINAL_TEXT, scriptedModel } from "./scripted-model.ts";
import { makeWorkingFolder } from "./working-folder.ts";

const MAIN = resolve("src/cli/main.ts");
const NOTES = 4;

describe.each(AGENTS)("palimpsest run -- $name", (agent) => {
  test("points it at a gateway of its own, and says in the end what was saved", async ({ skip }) => {
    const installation = await installAgent(agent);
    if (installation.type === "missing") return skip(installation.reason);
    const home = temporaryFolder();
    const folder = makeWorkingFolder(join(home, "notes"), { notes: NOTES, owner: "first" });
    const model = scriptedModel();
    const apiKey = "key-of-first";
    model.give(apiKey, { commands: folder.commands });
    const server = await startModelServer({ reply: model.reply });
    const port = agent.isPointedByRun === false ? await freePort() : undefined;
    const atPort = port === undefined ? [] : ["--port", String(port)];
    const run = await runAgent(agent, {
      starter: [process.execPath, MAIN, "run", "--upstream", server.url, "--store", "memory", ...atPort, "--"],
      executable: installation.executable,
      workingFolder: folder.path,
      prompt: "Read every note in this folder.",
      modelId: agent.modelId,
      url: port === undefined ? undefined : `http://127.0.0.1:${port}`,
      apiKey,
      home,
      isContinued: false,
      believedWindowTokens: undefined,
    });
    await server.close();
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(FINAL_TEXT) });
    expect(run.stderr.trim().split("\n").at(-1)).toMatch(/\d+ requests/);
    expect(server.requests.length).toBeGreaterThan(NOTES);
    expect(server.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });
});
