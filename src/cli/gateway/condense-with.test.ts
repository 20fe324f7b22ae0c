import { expect, test } from "vitest";
import { user } from "../../../test/support/messages.ts";
import { startModelServer } from "../../testing/index.ts";
import { condenseWith } from "./condense-with.ts";

const COMMAND = { name: "up", about: "", positionals: [], options: {} };

test("asks the model at the gateway's own upstream, with the key of the environment", async () => {
  const server = await startModelServer({ apiKey: "k" });
  try {
    const plugin = await condenseWith("anthropic/claude-haiku-4-5", {
      command: COMMAND,
      upstreams: { anthropic: server.url },
      environment: { ANTHROPIC_API_KEY: "k" },
    });
    const messages = Array.from({ length: 12 }, (_, place) => user(`step ${place}: ${"harbour ".repeat(50)}`));
    await plugin.condense(messages, {
      taskId: "t",
      modelId: "claude-sonnet-4-5",
      profileId: "default",
      trigger: "auto",
      contextWindow: 32_000,
      prevContextTokens: 20_000,
      allowedTokens: 28_000,
      usedPercent: 62,
      systemPrompt: "",
      overheadTokens: 0,
      countTokens: () => 100,
      keepMessages: 3,
      maxModelCalls: 1,
      timeoutMs: 300_000,
    });
    expect(server.requests).toMatchObject([{ wire: "anthropic", modelId: "claude-haiku-4-5", outcome: "answered" }]);
  } finally {
    await server.close();
  }
});

test("says which key or address is missing, before any request", async () => {
  const options = { command: COMMAND, upstreams: {}, environment: {} };
  await expect(condenseWith("anthropic/claude-haiku-4-5", options)).rejects.toThrow(
    "up: --condense-with anthropic/claude-haiku-4-5 needs an API key. Set ANTHROPIC_API_KEY.",
  );
  await expect(condenseWith("openai-compatible/qwen3", options)).rejects.toThrow("needs --openai-upstream");
  for (const name of ["anthropc/x", "claude-haiku-4-5", "anthropic/"]) {
    await expect(condenseWith(name, options)).rejects.toThrow(
      `up: --condense-with is ${JSON.stringify(name)}; it must be provider/model, such as`,
    );
  }
});
