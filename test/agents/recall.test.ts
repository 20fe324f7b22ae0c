/** Real agents read back what was folded, by the MCP server that `palimpsest run` gives them. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type ModelRequest, type ScriptedReply, startModelServer } from "../../src/testing/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Agent } from "./agent.ts";
import { claudeCode } from "./agents/claude-code.ts";
import { codex } from "./agents/codex.ts";
import { copilot } from "./agents/copilot.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { qwen } from "./agents/qwen.ts";
import { installAgent } from "./install-agent.ts";
import { offeredTools } from "./offered-tools.ts";
import { runAgent } from "./run-agent.ts";
import { scriptedModel } from "./scripted-model.ts";
import { isWorking, stepCalls } from "./step-calls.ts";
import { type Fact, makeWorkingFolder } from "./working-folder.ts";

/** Those that take an MCP server for one run. */
const RECALLING: readonly Agent[] = [claudeCode, codex, gemini, opencode, copilot, qwen];
const MAIN = resolve("src/cli/main.ts");
const NOTES = 16;
/** A ledger would quote the fact. */
const CONFIG = { configuration: { strategies: { primary: "truncation" } } };

/** A model that reads all notes, then recalls a fact of the first one unless it still sees it, and says what it found. */
function recallingModel(commands: readonly string[], { question, answer }: Fact) {
  const side = scriptedModel();
  const recalls: string[] = [];
  let step = 0;
  const call = (calls: readonly { readonly name: string; readonly input: object; readonly rawInput?: string }[]) => {
    step += 1;
    return { type: "tool-calls", calls: calls.map((each) => ({ id: `call_${step}`, ...each })) } as ScriptedReply;
  };
  const reply = (request: ModelRequest): ScriptedReply => {
    if (!isWorking(request)) return side.reply(request);
    if (step < commands.length) return call(stepCalls(request, commands[step] ?? ""));
    if (request.rawBody.includes(answer)) return { type: "text", text: `FOUND ${answer}` };
    const offered = offeredTools(request);
    const tool = offered.find(({ name }) => /(?:^|[^a-z])recall$/.test(name));
    if (tool === undefined || recalls.length > 2) {
      return { type: "text", text: `LOST among ${offered.map(({ name }) => name).join()}` };
    }
    recalls.push(tool.name);
    return call([{ name: tool.name, input: { query: question } }]);
  };
  return { reply, recalls };
}

describe.each(RECALLING)("palimpsest run -- $name", (agent) => {
  test("finds a fact again that only a fold holds", async ({ skip }) => {
    const installation = await installAgent(agent);
    if (installation.type === "missing") return skip(installation.reason);
    const home = temporaryFolder();
    const folder = makeWorkingFolder(join(home, "notes"), { notes: NOTES, owner: "first" });
    const config = join(home, "gateway.json");
    writeFileSync(config, JSON.stringify(CONFIG));
    const [fact = { question: "", answer: "" }] = folder.facts;
    const model = recallingModel(folder.commands, fact);
    const server = await startModelServer({ reply: model.reply });
    const window = ["--window", String(agent.tightWindowTokens), "--config", config];
    const run = await runAgent(agent, {
      starter: [process.execPath, MAIN, "run", "--upstream", server.url, "--store", "memory", ...window, "--"],
      executable: installation.executable,
      workingFolder: folder.path,
      prompt: "Read every note in this folder, then tell the first harbour code.",
      modelId: agent.modelId,
      url: undefined,
      apiKey: "key-of-first",
      home,
      isContinued: false,
      believedWindowTokens: undefined,
    });
    await server.close();
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`FOUND ${fact.answer}`) });
    expect(model.recalls).toHaveLength(1);
    expect(server.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });
});
