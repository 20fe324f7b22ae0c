import { describe, expect, test } from "vitest";
import { CODING_TOOLS, callsTools, reads, says, testAgent, toldResults } from "../../../test/support/agents.ts";
import { type Asked, handler, streams, unchecked } from "../../../test/support/handlers.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { ModernContextEngine } from "./modern-context-engine.ts";
import type { ModernContextEngineOptions } from "./modern-options.ts";

describe("a task", () => {
  test("is done when the model calls nothing more", async () => {
    const { engine, model } = testAgent([reads("a"), reads("b"), says("The keys rotate.")]);
    const result = await engine.executeTask("Go on.");
    expect(result).toMatchObject({ type: "completed", text: "The keys rotate.", steps: 3, toolCalls: 2 });
    expect(result.costUsd).toBeCloseTo(0.03);
    expect(model.asked).toHaveLength(3);
    expect(result.state.l2_runtime.phase).toBe("completed");
  });

  test("leaves what was said, called and returned in the log, in order", async () => {
    const { engine } = testAgent([callsTools([["a", "read_file", { path: "a.ts" }]], "I look."), says("It is done.")]);
    await engine.executeTask("Go on.");
    const log = await (await engine.session()).log();
    expect(log.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Go on."],
      [
        "assistant",
        [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "a", name: "read_file", input: { path: "a.ts" } },
        ],
      ],
      ["user", [{ type: "tool_result", tool_use_id: "a", content: "output of read_file" }]],
      ["assistant", [{ type: "text", text: "It is done." }]],
    ]);
  });

  test("tells the model goal, policies and tools", async () => {
    const { engine, model } = testAgent([]);
    await engine.executeTask("Go on.");
    const [asked] = model.asked;
    expect(asked?.systemPrompt).toContain("Fix the rotation of keys in src/auth/rotate.ts.");
    expect(asked?.systemPrompt).toContain('id="no-secrets"');
    expect(asked?.call?.tools?.map(({ name }) => name)).toEqual([
      "read_file",
      ...["recall", "condense", "pin", "remember", "update_plan", "set_phase"],
    ]);
  });

  test("is told as plain text where that is asked for", async () => {
    const { engine, model } = testAgent([], { contextFormat: "text" });
    await engine.executeTask("Go on.");
    const prompt = model.asked[0]?.systemPrompt ?? "";
    expect(prompt).toContain("Fix the rotation of keys in src/auth/rotate.ts.");
    expect(prompt).toContain("no-secrets");
    expect(prompt).not.toMatch(/<\/?[a-z_]+[ >]/);
  });

  test("goes on from the one before", async () => {
    const { engine, model } = testAgent([says("First."), says("Second.")]);
    await engine.executeTask("One.");
    expect(await engine.executeTask("Two.")).toMatchObject({ text: "Second.", steps: 1 });
    expect(model.asked[1]?.messages.map(({ content }) => content)).toEqual([
      "One.",
      [{ type: "text", text: "First." }],
      "Two.",
    ]);
  });

  test("waits for the one before, where both are given at once", async () => {
    const { engine } = testAgent([reads("a"), says("First."), says("Second.")]);
    const both = await Promise.all([engine.executeTask("One."), engine.executeTask("Two.")]);
    expect(both.map(({ text }) => text)).toEqual(["First.", "Second."]);
    expect(validateView(await (await engine.session()).view())).toEqual([]);
  });
});

describe("calls of one reply", () => {
  const three = callsTools(["a", "b", "c"].map((id) => [id, "read_file", { path: `${id}.ts` }]));

  test("run at the same time, and their results stand in the order of the calls", async () => {
    let running = 0;
    let most = 0;
    const delays: Readonly<Record<string, number>> = { a: 30, b: 1, c: 15 };
    const { engine } = testAgent([three], {
      execute: async ({ id }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, delays[id]));
        running -= 1;
        return `content of ${id}`;
      },
    });
    await engine.executeTask("Go on.");
    expect(most).toBe(3);
    expect(await toldResults(engine)).toEqual(["content of a", "content of b", "content of c"]);
  });

  test("that fail are told as errors, and the others are not touched by it", async () => {
    const { engine, model } = testAgent([three], {
      execute: ({ id }) => {
        if (id === "b") throw new Error("EACCES: b.ts");
        if (id === "c") return { content: "no such file", isError: true };
        return "content of a";
      },
    });
    expect(await engine.executeTask("Go on.")).toMatchObject({ type: "completed", toolCalls: 3 });
    expect(model.asked[1]?.messages.at(-1)?.content).toEqual([
      { type: "tool_result", tool_use_id: "a", content: "content of a" },
      { type: "tool_result", tool_use_id: "b", content: "EACCES: b.ts", is_error: true },
      { type: "tool_result", tool_use_id: "c", content: "no such file", is_error: true },
    ]);
  });

  test("that take too long fail, and the tool is told to stop", async () => {
    let wasTold = false;
    const { engine } = testAgent([reads("a")], {
      limits: { toolTimeoutMs: 20 },
      execute: (_, signal) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            wasTold = true;
          });
        }),
    });
    expect(await engine.executeTask("Go on.")).toMatchObject({ type: "completed" });
    expect(await toldResults(engine)).toEqual(["! It took longer than 20 ms."]);
    expect(wasTold).toBe(true);
  });

  test.each([
    ["no JSON", { type: "tool_use", id: "a", name: "read_file", input: {}, brokenInput: '{"path": ' }, /no JSON/],
    ["not what the schema says", { type: "tool_use", id: "a", name: "read_file", input: { path: 5 } }, /path/],
    ["no object", { type: "tool_use", id: "a", name: "read_file", input: "a.ts" }, /must be an object/],
    ["not there at all", { type: "tool_use", id: "a", name: "read_file" }, /path/],
    ["for a tool that there is not", { type: "tool_use", id: "a", name: "invented", input: {} }, /no tool "invented"/],
    ["for a tool of another phase", { type: "tool_use", id: "a", name: "write_file", input: {} }, /no tool "write_f/],
  ])("with arguments that are %s are not executed; the model is told why", async (_, chunk, reason) => {
    const { engine, executed } = testAgent([streams(chunk)]);
    expect(await engine.executeTask("Go on.")).toMatchObject({ type: "completed" });
    expect(executed).toEqual([]);
    expect((await toldResults(engine))[0]).toMatch(reason);
    expect(validateView(await (await engine.session()).view())).toEqual([]);
  });

  test("that share an id are told apart", async () => {
    const { engine } = testAgent([
      callsTools([
        ["same", "read_file", { path: "a.ts" }],
        ["same", "read_file", { path: "b.ts" }],
        ["same", "read_file", { path: "c.ts" }],
      ]),
    ]);
    await engine.executeTask("Go on.");
    expect(validateView(await (await engine.session()).view())).toEqual([]);
    expect((await toldResults(engine)).length).toBe(3);
  });
});

describe("the prompt", () => {
  test("stays the same, byte for byte, while the phase is the same and nothing is folded", async () => {
    const { engine, model, clock } = testAgent(
      [
        callsTools([["p", "set_phase", { phase: "executing", reason: "It is clear." }]]),
        ...["a", "b", "c", "d"].map((id) => reads(id)),
        callsTools([["w", "write_file", { path: "a.ts", content: "We decided to keep it." }]]),
      ],
      {
        execute: () => {
          clock.advance(500);
          return "found";
        },
      },
    );
    await engine.executeTask("Go on.");
    const [planning, ...executing] = model.asked.map(({ systemPrompt, call }) =>
      JSON.stringify([systemPrompt, call?.tools]),
    );
    expect(executing).toHaveLength(6);
    expect(new Set(executing).size).toBe(1);
    expect(executing[0]).not.toBe(planning);
  });

  test("begins with the messages of the one before, unless something was folded", async () => {
    const { engine, model } = testAgent(["a", "b", "c"].map((id) => reads(id)));
    await engine.executeTask("Go on.");
    const sent = model.asked.map(({ messages }) => messages);
    for (const [index, messages] of sent.slice(1).entries()) {
      expect(messages.slice(0, sent[index]?.length)).toEqual(sent[index]);
    }
  });

  test("is compressed at three quarters of the window, to about half, and says then what has changed", async () => {
    const { engine, model } = testAgent(
      [
        callsTools([["p", "set_phase", { phase: "executing", reason: "It is clear." }]]),
        callsTools([["f", "remember", { fact: "Keys rotate in rotate.ts every 24 hours.", source: "a.ts" }]]),
        ...Array.from({ length: 12 }, (_, index) => reads(`a${index}`)),
      ],
      { contextWindow: 16_000, execute: ({ id }) => `line ${id} says something about keys. `.repeat(150) },
    );
    await engine.executeTask("Go on.");
    const contexts = [...new Set(model.asked.slice(1).map(({ systemPrompt }) => systemPrompt))];
    const folded = new Set(foldedSteps(model.asked));
    expect(folded.size).toBeGreaterThan(0);
    expect(contexts).toHaveLength(1 + folded.size);
    expect(contexts[0]).not.toContain("Keys rotate in rotate.ts");
    expect(contexts[1]).toContain("Keys rotate in rotate.ts");
    for (const [index, asked] of model.asked.entries()) {
      expect(shareOf(asked, 16_000)).toBeLessThan(folded.has(index) ? 0.53 : 0.75);
    }
  });
});

/** What of the window a request takes. */
function shareOf({ systemPrompt, messages, call }: Asked, contextWindow: number): number {
  const overheadTokens = countTextTokens(systemPrompt) + countTextTokens(JSON.stringify(call?.tools ?? []));
  return (overheadTokens + countMessagesTokens(messages)) / contextWindow;
}

/** The requests whose messages do not go on from those of the request before. */
function foldedSteps(asked: readonly { readonly messages: readonly unknown[] }[]): readonly number[] {
  return asked.flatMap(({ messages }, index) => {
    const before = asked[index - 1]?.messages ?? [];
    const goesOn = JSON.stringify(messages.slice(0, before.length)) === JSON.stringify(before);
    return goesOn ? [] : [index];
  });
}

describe("options that cannot be meant are refused at once", () => {
  const model = handler(says("Done."));
  const fine = { model, task: "Fix it.", tools: CODING_TOOLS, executor: { execute: async () => "" } };
  const [tool] = CODING_TOOLS;
  test.each([
    ["a goal that is blank", { task: " " }, /task\.goal/],
    ["a tool with a name of the engine's", { tools: [{ ...tool, name: "recall" }] }, /recall/],
    ["two tools of one name", { tools: [tool, tool] }, /name/],
    ["no executor", { executor: undefined }, /executor/],
    ["no handler", { model: {} }, /model/],
    ["a share of one", { contextShare: 1 }, /contextShare/],
    ["a format that there is not", { contextFormat: "yaml" }, /contextFormat/],
    ["a limit below one", { limits: { maxSteps: 0 } }, /maxSteps/],
    ["a check that is none", { policyChecks: [{ policyId: "mine" }] }, /policyChecks\[0\]\.check/],
    ["an approval that is no function", { approve: true }, /approve/],
    ["an empty session id", { sessionId: "" }, /sessionId/],
  ])("%s", (_, wrong, reason) => {
    const options = unchecked<ModernContextEngineOptions>({ ...fine, ...wrong });
    expect(() => new ModernContextEngine(options)).toThrow(reason);
  });

  test.each(["", "  ", 5, undefined])("the input %j", (input) => {
    const engine = new ModernContextEngine(fine);
    expect(() => engine.executeTask(unchecked<string>(input))).toThrow(/input/);
    expect(() => engine.executeTaskSafely(unchecked<string>(input))).toThrow(/input/);
  });
});
