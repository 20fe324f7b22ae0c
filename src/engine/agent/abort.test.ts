/** Whenever an agent is stopped, its session is one that providers accept, and the next task goes on from there. */
import { describe, expect, test } from "vitest";
import {
  callsTools,
  reads,
  type TestAgent,
  type TestAgentOptions,
  testAgent,
  toldResults,
} from "../../../test/support/agents.ts";
import { type Behaviour, FAILING, handler, hangs, inTurn } from "../../../test/support/handlers.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { modelCondenser } from "../condense/model-condenser.ts";

const REASON = new Error("That will do.");

/** Runs a task that is stopped on the way, then another one. */
async function stopAndGoOn(build: (stop: () => void) => TestAgent): Promise<TestAgent> {
  const controller = new AbortController();
  const agent = build(() => controller.abort(REASON));
  await expect(agent.engine.executeTask("Go on.", { signal: controller.signal })).rejects.toBe(REASON);
  const view = await (await agent.engine.session()).view();
  if (view.length > 0) expect(validateView(view)).toEqual([]);
  expect(await agent.engine.executeTask("And now?")).toMatchObject({ type: "completed", text: "Done." });
  expect(validateView(await (await agent.engine.session()).view())).toEqual([]);
  for (const { messages } of agent.model.asked) expect(validateView(messages)).toEqual([]);
  return agent;
}

const twoCalls = callsTools([
  ["a", "read_file", { path: "a.ts" }],
  ["b", "read_file", { path: "b.ts" }],
]);

describe("an agent that is stopped", () => {
  test("before it begins has said nothing", async () => {
    const { engine, model } = testAgent([]);
    await expect(engine.executeTask("Go on.", { signal: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
    expect(await (await engine.session()).log()).toEqual([]);
    expect(model.asked).toEqual([]);
  });

  test("while its input is being kept", async () => {
    await stopAndGoOn((stop) => {
      const store = interceptStore(memoryStore(), { before: (call) => call === "append" && stop() });
      return testAgent([], { store });
    });
  });

  test("while the model has not answered", async () => {
    await stopAndGoOn((stop) => {
      const stopped: Behaviour = (asked) => {
        setTimeout(stop, 5);
        return hangs(asked);
      };
      return testAgent([stopped]);
    });
  });

  test("while the model speaks", async () => {
    const agent = await stopAndGoOn((stop) => {
      const stopped: Behaviour = async function* () {
        yield { type: "text", text: "I shall now" };
        yield { type: "tool_use", id: "a", name: "read_file", input: { path: "a.ts" } };
        stop();
        await new Promise(() => {});
      };
      return testAgent([stopped]);
    });
    expect(JSON.stringify(await (await agent.engine.session()).log())).not.toContain("I shall now");
  });

  test("while its reply is being kept, has every call answered", async () => {
    let appends = 0;
    const agent = await stopAndGoOn((stop) => {
      const after = (call: string) => call === "append" && ++appends === 3 && stop();
      return testAgent([twoCalls], { store: interceptStore(memoryStore(), { after }) });
    });
    expect(await toldResults(agent.engine)).toEqual(
      Array(2).fill("! The task was stopped before this call was finished."),
    );
    expect(agent.executed).toEqual([]);
  });

  test("while tools run, has every call answered, and those that hang are told", async () => {
    let told = 0;
    const agent = await stopAndGoOn((stop) =>
      testAgent([twoCalls], {
        execute: ({ id }, signal) => {
          if (id === "a") return "content of a";
          signal.addEventListener("abort", () => {
            told += 1;
          });
          setTimeout(stop, 5);
          return new Promise(() => {});
        },
      }),
    );
    expect(told).toBe(1);
    expect(await toldResults(agent.engine)).toEqual([
      "content of a",
      "! The task was stopped before this call was finished.",
    ]);
    expect((await agent.engine.state()).l2_runtime.failures).toEqual([]);
  });

  test("while someone is asked for approval, executes nothing", async () => {
    const agent = await stopAndGoOn((stop) =>
      testAgent([callsTools([["d", "deploy", { target: "staging" }]])], {
        initialState: { permissions: ["read", "deploy"] },
        approve: () => {
          setTimeout(stop, 5);
          return new Promise(() => {});
        },
      }),
    );
    expect(agent.executed).toEqual([]);
  });

  test("by the approval itself, executes nothing", async () => {
    const agent = await stopAndGoOn((stop) =>
      testAgent([callsTools([["d", "deploy", { target: "staging" }]])], {
        initialState: { permissions: ["read", "deploy"] },
        approve: () => {
          stop();
          return true;
        },
      }),
    );
    expect(agent.executed).toEqual([]);
  });

  test("while its prompt is condensed", async () => {
    const reading = Array.from({ length: 8 }, (_, index) => reads(`r${index}`));
    await stopAndGoOn((stop) => {
      const stopped: Behaviour = (asked) => {
        setTimeout(stop, 5);
        return hangs(asked);
      };
      return testAgent(reading, {
        contextWindow: 16_000,
        configuration: { strategies: { primary: "llm" } },
        condenser: modelCondenser(handler(inTurn(stopped, FAILING.throws))),
        execute: ({ id }) => `line of ${id}. `.repeat(700),
      });
    });
  });

  test("between two steps", async () => {
    await stopAndGoOn((stop) => {
      const after = (call: string) => call === "listCheckpoints" && stop();
      return testAgent([twoCalls], { store: interceptStore(memoryStore(), { after }) });
    });
  });
});

test("stopping is no failure that is mended", async () => {
  const controller = new AbortController();
  const options: TestAgentOptions = {
    execute: () => {
      controller.abort(REASON);
      return "late";
    },
  };
  const { engine, waits } = testAgent([reads("a")], options);
  const result = await engine.executeTaskSafely("Go on.", { signal: controller.signal });
  expect(result).toEqual({ type: "failed", cause: "aborted", error: "That will do.", recoveries: [] });
  expect(waits).toEqual([]);
  expect((await engine.state()).l2_runtime.phase).toBe("planning");
});
