import { describe, expect, test } from "vitest";
import {
  callsTools,
  reads,
  type ScriptedCall,
  says,
  type TestAgent,
  testAgent,
  toldResults,
} from "../../../test/support/agents.ts";
import type { Behaviour } from "../../../test/support/handlers.ts";
import { OWN_TOOLS } from "./own-tools.ts";

const setPhase = (phase: string): ScriptedCall => [`to-${phase}`, "set_phase", { phase, reason: "It is time." }];
const to = (phase: string): Behaviour => callsTools([setPhase(phase)]);

/** The phases that an agent went through, with the reasons. */
async function phases({ engine }: TestAgent) {
  const audit = await engine.audit();
  return audit.flatMap((record) =>
    record.type === "phase" ? [`${record.from} → ${record.to}: ${record.reason}`] : [],
  );
}

/** What the model was shown at each step, without the engine's own tools. */
function shownTools({ model }: TestAgent) {
  return model.asked.map(({ call }) => (call?.tools ?? []).slice(0, -OWN_TOOLS.length).map(({ name }) => name));
}

describe("the phase", () => {
  test("is planning at first, and completed at last", async () => {
    const agent = testAgent([]);
    await agent.engine.executeTask("Go on.");
    expect(await phases(agent)).toEqual([
      "initializing → planning: The task begins.",
      "planning → completed: The agent has nothing more to do.",
    ]);
  });

  test("becomes executing after three steps of looking around, and tools that change things are shown", async () => {
    const agent = testAgent(["a", "b", "c", "d"].map((id) => reads(id)));
    await agent.engine.executeTask("Go on.");
    expect((await phases(agent))[1]).toBe("planning → executing: 3 steps were enough to look around.");
    const planning = ["read_file"];
    const executing = ["read_file", "write_file", "run_command"];
    expect(shownTools(agent)).toEqual([planning, planning, planning, executing, executing]);
  });

  test("becomes executing as soon as the model says so", async () => {
    const agent = testAgent([to("executing"), reads("a")]);
    await agent.engine.executeTask("Go on.");
    expect((await phases(agent))[1]).toBe("planning → executing: It is time.");
    expect(shownTools(agent)[1]).toContain("write_file");
  });

  test("becomes executing when something was changed", async () => {
    const agent = testAgent([callsTools([["d", "deploy", { target: "staging" }]]), reads("a")], {
      initialState: { permissions: ["read", "deploy"] },
      approve: () => true,
    });
    await agent.engine.executeTask("Go on.");
    expect((await phases(agent))[1]).toBe("planning → executing: Something was changed.");
  });

  test("becomes reflecting after three failures in a row, for one step", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    const agent = testAgent([to("executing"), ...ids.map((id) => reads(id))], {
      execute: ({ id }) => {
        if (id === "a" || id === "b" || id === "c") throw new Error("no such file");
        return "found";
      },
    });
    await agent.engine.executeTask("Go on.");
    expect((await phases(agent)).slice(2)).toEqual([
      "executing → reflecting: 3 steps in a row failed.",
      "reflecting → executing: One step back was taken.",
      "executing → completed: The agent has nothing more to do.",
    ]);
  });

  test("stays executing where something worked in between", async () => {
    const agent = testAgent([to("executing"), ...["a", "b", "ok", "c", "d"].map((id) => reads(id))], {
      execute: ({ id }) => {
        if (id !== "ok") throw new Error("no such file");
        return "found";
      },
    });
    await agent.engine.executeTask("Go on.");
    expect((await phases(agent)).join()).not.toContain("reflecting");
  });

  test("does not become what it may not, and the model is told what it may", async () => {
    const agent = testAgent([to("reflecting"), reads("a")]);
    await agent.engine.executeTask("Go on.");
    expect((await toldResults(agent.engine))[0]).toBe(
      "! planning cannot become reflecting; it may become executing, verifying, completed, failed.",
    );
    expect((await phases(agent)).join()).not.toContain("reflecting");
  });

  test("set to completed ends the task after the calls beside it", async () => {
    const agent = testAgent([
      callsTools([["a", "read_file", { path: "a.ts" }], setPhase("completed")], "All is well."),
      says("Never said."),
    ]);
    const result = await agent.engine.executeTask("Go on.");
    expect(result).toMatchObject({ type: "completed", text: "All is well.", steps: 1, toolCalls: 2 });
  });

  test("is planning again with the next input", async () => {
    const agent = testAgent([]);
    await agent.engine.executeTask("Go on.");
    await agent.engine.executeTask("And now?");
    expect((await phases(agent)).slice(2)).toEqual([
      "completed → planning: The task begins.",
      "planning → completed: The agent has nothing more to do.",
    ]);
  });
});

describe("tools", () => {
  test("that the model works with stay when the phase no longer lists them", async () => {
    const agent = testAgent([
      to("executing"),
      callsTools([["w", "write_file", { path: "a", content: "b" }]]),
      to("verifying"),
      reads("a"),
    ]);
    await agent.engine.executeTask("Go on.");
    expect(shownTools(agent)[3]).toEqual(["write_file"]);
  });

  test("that are shown, hidden or changed are in the audit, with the reasons, once for each change", async () => {
    const agent = testAgent([reads("a"), to("executing"), reads("b"), reads("c")]);
    await agent.engine.executeTask("Go on.");
    const records = (await agent.engine.audit()).filter(({ type }) => type === "tools");
    expect(records).toMatchObject([
      { change: { costsCache: false } },
      { change: { costsCache: true, added: ["write_file", "run_command"] } },
    ]);
    expect(records[0]).toMatchObject({
      decisions: expect.arrayContaining([
        expect.objectContaining({ type: "hidden", toolName: "deploy", cause: "permission" }),
        expect.objectContaining({ type: "hidden", toolName: "write_file", cause: "phase" }),
      ]),
    });
  });

  test("are narrowed in production, and calls outside are refused", async () => {
    const agent = testAgent(
      [
        to("executing"),
        callsTools([["a", "run_command", { command: "make" }]]),
        callsTools([["b", "run_command", { command: "npm test" }]]),
      ],
      { initialState: { environment: "prod" }, projection: { allowLists: { commands: ["npm test"], paths: ["src"] } } },
    );
    await agent.engine.executeTask("Go on.");
    expect(agent.executed.map(({ id }) => id)).toEqual(["b"]);
    expect((await toldResults(agent.engine))[1]).toMatch(/^! .*npm test/);
  });
});
