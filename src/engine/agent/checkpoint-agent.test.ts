import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callsTools, reads, says, testAgent, testClock } from "../../../test/support/agents.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { workspaceCheckpoints } from "../../checkpoints/index.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createEngine } from "../create-engine.ts";
import type { ModernContextEngine } from "./modern-context-engine.ts";

const executing = callsTools([["p", "set_phase", { phase: "executing", reason: "Now." }]]);

async function reasons(engine: ModernContextEngine): Promise<readonly string[]> {
  const events = await (await engine.session()).events();
  return events.flatMap((event) => (event.type === "checkpoint" ? [event.reason] : []));
}

describe("a checkpoint is made", () => {
  test("when a session begins, and whenever the phase changes", async () => {
    const { engine } = testAgent([reads("a"), executing, reads("b")], { store: memoryStore() });
    await engine.executeTask("Go on.");
    expect(await reasons(engine)).toEqual(["manual", "phase", "phase"]);
    const kept = await (await engine.session()).checkpoints();
    expect(kept.map(({ phase }) => phase)).toEqual(["completed", "executing", "planning"]);
  });

  test("after fifty messages", async () => {
    const { engine } = testAgent([executing, ...Array.from({ length: 30 }, (_, index) => reads(`a${index}`))], {
      store: memoryStore(),
    });
    await engine.executeTask("Go on.");
    expect(await reasons(engine)).toEqual(["manual", "phase", "messages", "phase"]);
  });

  test("after ten minutes", async () => {
    const clock = testClock();
    const { engine } = testAgent([executing, reads("a"), reads("b"), reads("c")], {
      store: memoryStore(),
      clock,
      execute: () => {
        clock.advance(301_000);
        return "slow";
      },
    });
    await engine.executeTask("Go on.");
    expect(await reasons(engine)).toEqual(["manual", "phase", "interval", "phase"]);
  });

  test("nowhere, without a store", async () => {
    const { engine } = testAgent([executing, reads("a")]);
    await engine.executeTask("Go on.");
    expect(await reasons(engine)).toEqual([]);
  });
});

test("a session that is opened again goes on with what its agent knew", async () => {
  const store = memoryStore();
  const first = testAgent(
    [
      callsTools([["f", "remember", { fact: "Keys rotate daily.", source: "rotate.ts" }]]),
      says("I decided to keep both."),
    ],
    { store, sessionId: "harbour" },
  );
  const { state } = await first.engine.executeTask("Go on.");
  const second = testAgent([says("I know.")], { store, sessionId: "harbour", task: "Something else." });
  expect(await second.engine.state()).toEqual(state);
  await second.engine.executeTask("What do you know?");
  expect(second.model.asked[0]?.systemPrompt).toContain("Keys rotate daily.");
  expect(second.model.asked[0]?.systemPrompt).toContain("Fix the rotation of keys");
  expect(second.model.asked[0]?.messages).toHaveLength(5);
});

test("a session that someone else kept a state for begins with the task", async () => {
  const store = memoryStore();
  const other = await createEngine({ model: "scripted", store }).session("task");
  await other.append({ role: "user", content: "Hello." });
  await other.checkpoint({ state: { mine: true } });
  const { engine } = testAgent([], { store });
  expect((await engine.executeTask("Go on.")).state.l1_task.goal).toContain("rotation of keys");
});

test("files go back with the log", async () => {
  const [folder, storageFolder] = [temporaryFolder(), temporaryFolder()];
  const path = join(folder, "rotate.ts");
  writeFileSync(path, "daily");
  const { engine } = testAgent(
    [executing, callsTools([["w", "write_file", { path: "rotate.ts", content: "hourly" }]])],
    {
      store: memoryStore(),
      workspace: workspaceCheckpoints({ workspace: folder, storageFolder }),
      execute: () => {
        writeFileSync(path, "hourly");
        return "written";
      },
    },
  );
  await engine.executeTask("Go on.");
  const session = await engine.session();
  const [, , beginning] = await session.checkpoints();
  await session.rewind({ toCheckpoint: beginning?.id ?? "", files: true });
  expect(readFileSync(path, "utf8")).toBe("daily");
  expect(await session.log()).toHaveLength(1);
  await session.rewind({ undo: true, files: true });
  expect(readFileSync(path, "utf8")).toBe("hourly");
});
