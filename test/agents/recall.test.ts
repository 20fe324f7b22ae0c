/** Real agents read back what was folded, by the MCP server that `palimpsest run` gives them. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type ModelRequest, type ScriptedReply, startModelServer } from "../../src/testing/index.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Agent } from "./agent.ts";
import { claudeCode } from "./agents/claude-code.ts";
import { cline } from "./agents/cline.ts";
import { codexWithPrograms } from "./agents/codex.ts";
import { continueAgent } from "./agents/continue.ts";
import { copilot } from "./agents/copilot.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { pi } from "./agents/pi.ts";
import { qwen } from "./agents/qwen.ts";
import { installAgent } from "./install-agent.ts";
import { offeredTools } from "./offered-tools.ts";
import { runAgent } from "./run-agent.ts";
import { scriptedModel } from "./scripted-model.ts";
import { isWorking, type OfferedCall, stepCalls } from "./step-calls.ts";
import { type Fact, makeWorkingFolder } from "./working-folder.ts";

/** Those that take an MCP server for one run. With other models, Codex has its model search for tools by an item that no script can say. */
const RECALLING: readonly Agent[] = [
  claudeCode,
  codexWithPrograms,
  opencode,
  copilot,
  qwen,
  gemini,
  pi,
  cline,
  continueAgent,
];
const MAIN = resolve("src/cli/main.ts");
/** Of a note: so many fill the window. */
const LEAST_NOTE_TOKENS = 1_100;
const FULL_NAME = "mcp__palimpsest__recall";
/** A ledger would quote the fact. */
const CONFIG = { configuration: { strategies: { primary: "truncation" } } };

/** A model that reads all notes, then recalls a fact of the first one unless it still sees it, and says what it found. */
function recallingModel(commands: readonly string[], { question, answer }: Fact) {
  const side = scriptedModel();
  const recalls: string[] = [];
  let step = 0;
  const call = (calls: readonly OfferedCall[]): ScriptedReply => {
    step += 1;
    return { type: "tool-calls", calls: calls.map((each) => ({ id: `call_${step}`, ...each })) };
  };
  const reply = (request: ModelRequest): ScriptedReply => {
    if (!isWorking(request)) return side.reply(request);
    if (step < commands.length) return call(stepCalls(request, commands[step] ?? ""));
    if (request.rawBody.includes(answer)) return { type: "text", text: `FOUND ${answer}` };
    const found = recallCall(request, question);
    if (found === undefined || recalls.length > 2) {
      return { type: "text", text: `LOST among ${offeredTools(request).map(({ name }) => name)}` };
    }
    if (found.isRecall) recalls.push(found.call.name);
    return call([found.call]);
  };
  return { reply, recalls };
}

/** The call that recalls, or one that asks for its definition where the agent offers it by name alone. */
function recallCall(
  request: ModelRequest,
  query: string,
): { readonly isRecall: boolean; readonly call: OfferedCall } | undefined {
  const offered = offeredTools(request);
  const tool = offered.find(({ name }) => /(?:^|[^a-z])recall$/.test(name));
  if (tool !== undefined) return { isRecall: true, call: { name: tool.name, input: { query } } };
  const program = offered.find(({ name, isCustom }) => isCustom && name === "exec");
  if (program !== undefined) {
    const rawInput = `text(JSON.stringify(await tools.${FULL_NAME}(${JSON.stringify({ query })})));`;
    return { isRecall: true, call: { name: program.name, input: {}, rawInput } };
  }
  // Qwen Code calls tools that it does not declare by another one, whether they were searched for or not.
  const indirect = offered.find(({ name }) => name === "tool_call");
  if (indirect !== undefined) {
    return { isRecall: true, call: { name: indirect.name, input: { name: FULL_NAME, arguments: { query } } } };
  }
  const [search] = stepCalls(request, { type: "find-tools", names: [FULL_NAME] });
  return search === undefined ? undefined : { isRecall: false, call: search };
}

describe.each(RECALLING)("palimpsest run -- $name", (agent) => {
  test("finds a fact again that only a fold holds", async ({ skip }) => {
    const installation = await installAgent(agent);
    if (installation.type === "missing") return skip(installation.reason);
    const home = temporaryFolder();
    const notes = Math.ceil(agent.tightWindowTokens / LEAST_NOTE_TOKENS);
    const folder = makeWorkingFolder(join(home, "notes"), { notes, owner: "first" });
    const config = join(home, "gateway.json");
    writeFileSync(config, JSON.stringify(CONFIG));
    const [fact = { question: "", answer: "" }] = folder.facts;
    const model = recallingModel(folder.commands, fact);
    const server = await startModelServer({ reply: model.reply });
    const port = agent.isPointedByRun === false ? await freePort() : undefined;
    const atPort = port === undefined ? [] : ["--port", String(port)];
    const window = ["--window", String(agent.tightWindowTokens), "--config", config, ...atPort];
    const run = await runAgent(agent, {
      starter: [process.execPath, MAIN, "run", "--upstream", server.url, "--store", "memory", ...window, "--"],
      executable: installation.executable,
      workingFolder: folder.path,
      prompt: "Read every note in this folder, then tell the first harbour code.",
      modelId: agent.modelId,
      url: port === undefined ? undefined : `http://127.0.0.1:${port}`,
      apiKey: "key-of-first",
      home,
      isContinued: false,
      believedWindowTokens: undefined,
    });
    await server.close();
    expect(run, run.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`FOUND ${fact.answer}`) });
    expect(model.recalls).toHaveLength(1);
    expect(server.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  });
});
