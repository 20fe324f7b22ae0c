import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ModernContextEngine, type Permission, type ToolDefinition, type ToolExecutor } from "palimpsest/agent";
import { workspaceCheckpoints } from "palimpsest/checkpoints";
import { createModelHandler } from "palimpsest/providers";
import { sqliteStore } from "palimpsest/stores/sqlite";
import { type ScriptedReply, startModelServer } from "palimpsest/testing";

// A project with a light that blinks twice, a test for it, and logs that do not fit the window together.
const folder = await mkdtemp(join(tmpdir(), "harbour-"));
const workspace = join(folder, "project");
await mkdir(workspace);
const file = (path: string) => join(workspace, basename(path));
await writeFile(file("light.mjs"), "export const blinks = 2;\n");
await writeFile(file("test.mjs"), 'import { blinks } from "./light.mjs";\nprocess.exit(blinks === 1 ? 0 : 1);\n');
for (let day = 1; day <= 6; day++) {
  const lines = Array.from({ length: 150 }, (_, entry) => `day ${day}, entry ${entry}: lamp ${entry % 31} is lit.`);
  await writeFile(file(`day-${day}.log`), lines.join("\n"));
}

// The agent's tools, and the executor that runs them. Arguments, limits and policies are checked before each call.
const looking = [tool("list_files", "read"), tool("read_file", "read", "path")];
const tools = [...looking, tool("write_file", "write", "path", "content"), tool("run_tests", "execute")];
const executor: ToolExecutor = {
  execute: async ({ name, input }) => {
    const { path = "", content = "" } = Object(input);
    if (name === "list_files") return (await readdir(workspace)).sort().join("\n");
    if (name === "read_file") return readFile(file(path), "utf8");
    if (name === "write_file") return writeFile(file(path), content).then(() => "It is written.");
    const isPassed = spawnSync(process.execPath, ["test.mjs"], { cwd: workspace }).status === 0;
    return { content: isPassed ? "All tests pass." : "light.mjs must blink once.", isError: !isPassed };
  },
};

// PALIMPSEST_MODEL=anthropic/claude-haiku-4-5, with your key in ANTHROPIC_API_KEY, asks a real model; else a script answers.
const reply = () => ({ type: "text", text: "I decided to change light.mjs: it blinks once now." }) as const;
const server = await startModelServer({ contextWindow: 16_000, reply });
let calls = 0;
const read = (...days: readonly number[]) => call("read_file", ...days.map((day) => ({ path: `day-${day}.log` })));
server.script(call("list_files", {}), read(1, 2), read(3, 4), read(5, 6));
server.script(call("recall", { query: "day 2 entry 140" }), call("run_tests", {}));
server.script(call("write_file", { path: "light.mjs", content: "export const blinks = 1;\n" }), call("run_tests", {}));
const scripted = { model: "anthropic/claude-haiku-4-5", baseUrl: server.baseUrls.anthropic, apiKey: "any" };

const store = sqliteStore({ path: join(folder, "sessions.db") });
const agent = new ModernContextEngine({
  model: createModelHandler(process.env.PALIMPSEST_MODEL ?? scripted),
  ...{ tools, executor, store, contextWindow: 16_000, task: "Make the harbour light blink once." },
  workspace: workspaceCheckpoints({ workspace, storageFolder: join(folder, "checkpoints") }),
  onAudit: (record) => {
    if (record.type === "phase") console.log(`${record.to}: ${record.reason}`);
    if (record.type === "call") console.log(`  ${record.toolName}: ${record.outcome}`);
  },
});
const result = await agent.executeTaskSafely("Why does the light blink twice? See the logs, then make it blink once.");
console.log(result.type === "failed" ? result.error : `${result.text} ${result.toolCalls} calls.`);
const session = await agent.session();
console.log(`${(await session.view()).length} of ${(await session.log()).length} messages visible`);

// Go back to where the task began, with the files, and forward again.
const show = async (when: string) => console.log(`${when}: ${(await readFile(file("light.mjs"), "utf8")).trim()}`);
const checkpoints = await session.checkpoints();
console.log(`checkpoints: ${checkpoints.map(({ phase }) => phase).join(", ")}`);
await show("done");
await session.rewind({ toCheckpoint: checkpoints.at(-1)?.id ?? "", files: true });
await show("back");
await session.rewind({ undo: true, files: true }).then(() => show("undone"));
await Promise.all([store.close(), server.close(), rm(folder, { recursive: true })]);

function tool(name: string, permission: Permission, ...names: readonly string[]): ToolDefinition {
  const properties = Object.fromEntries(names.map((each) => [each, { type: "string" }]));
  const inputSchema = { type: "object", properties, required: names };
  return { name, description: name.replace("_", " "), permissions: [permission], inputSchema };
}
function call(name: string, ...inputs: readonly Readonly<Record<string, string>>[]): ScriptedReply {
  return { type: "tool-calls", calls: inputs.map((input) => ({ id: `call_${++calls}`, name, input })) };
}
