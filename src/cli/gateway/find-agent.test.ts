import { describe, expect, test } from "vitest";
import { AGENTS } from "./agents.ts";
import { findAgent } from "./find-agent.ts";

function found(line: string) {
  const { agent, place } = findAgent(line.split(" "));
  return [agent?.title, place];
}

describe("an agent is recognised", () => {
  test.each([
    ["claude -p hello", "Claude Code", 0],
    ["/usr/local/bin/codex exec x", "Codex", 0],
    ["C:\\Tools\\gemini.cmd", "Gemini CLI", 0],
    ["npx -y @openai/codex@latest exec x", "Codex", 2],
    ["npx --yes codex", "Codex", 2],
    ["npx -p @anthropic-ai/claude-code claude", "Claude Code", 3],
    ["bunx opencode-ai", "opencode", 1],
    ["pnpm dlx @qwen-code/qwen-code", "qwen-code", 2],
    ["npm exec -- @google/gemini-cli", "Gemini CLI", 3],
    ["yarn dlx @github/copilot", "Copilot CLI", 2],
    ["uvx --from aider-chat aider", "aider", 3],
    ["node /x/node_modules/@anthropic-ai/claude-code/cli.js -p", "Claude Code", 1],
    ["node --max-old-space-size=4096 node_modules/a/node_modules/@openai/codex/bin/codex.js", "Codex", 2],
    ["env TERM=dumb LANG=C pi", "pi", 3],
  ])("in %s", (line, title, place) => {
    expect(found(line)).toEqual([title, place]);
  });

  test.each(["my-agent claude", "npm run claude", "node agent.js", "claude-squad", "npx", "node -e 0", "codex-like"])(
    "but not in %s",
    (line) => {
      expect(findAgent(line.split(" ")).agent).toBeUndefined();
    },
  );

  test("by one name only", () => {
    const names = AGENTS.flatMap(({ programs, packages }) => [...new Set([...programs, ...packages])]);
    expect(new Set(names).size).toBe(names.length);
  });
});
