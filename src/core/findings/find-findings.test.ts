import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { createModelRegistry } from "../models/registry.ts";
import type { RequestRecord } from "../statement/request-record.ts";
import { findFindings } from "./find-findings.ts";
import type { FindingSource } from "./finding.ts";
import { declaredTools } from "./finding.ts";

const entry = createModelRegistry().find("claude-sonnet-4-5");

const request = (fields: Partial<RequestRecord> = {}): RequestRecord => ({
  at: 0,
  modelId: "claude-sonnet-4-5",
  contextWindow: 3_000,
  allowedTokens: 2_500,
  version: 1,
  promptTokens: 2_000,
  overheadTokens: 100,
  arrivedTokens: 0,
  hiddenTokens: 0,
  tokenRatio: 1,
  tokens: { tools: 400 },
  foldIds: [],
  decision: { policy: "rent", reason: "waits" },
  condenseUsd: 0,
  ...fields,
});

const read = (id: string, path: string, words: number): readonly Message[] => [
  {
    id: `call-${id}`,
    role: "assistant",
    content: [{ type: "tool_use", id, name: "Read", input: { file_path: path } }],
  },
  {
    id: `result-${id}`,
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: "word ".repeat(words) }],
  },
];
const task: Message = { id: "task", role: "user", content: "Mend the login." };

const source = (fields: Partial<FindingSource>): FindingSource => {
  const { log = [task] } = fields;
  return { log, view: log, requests: [], entry, tools: [], ...fields };
};
const kinds = (fields: Partial<FindingSource>) => findFindings(source(fields)).map(({ kind }) => kind);

describe("findings", () => {
  test("are none in a session that does well", () => {
    expect(kinds({ log: [task, ...read("1", "a.ts", 300), ...read("2", "b.ts", 300)], requests: [request()] })).toEqual(
      [],
    );
    expect(kinds({ log: [] })).toEqual([]);
  });

  test("tell files that are in the window more than once, and what the older reads cost", () => {
    const log = [task, ...read("1", "a.ts", 300), ...read("2", "a.ts", 300), ...read("3", "b.ts", 300)];
    const [finding] = findFindings(source({ log, requests: [request()] }));
    expect(finding).toMatchObject({
      kind: "repeated-read",
      names: ["a.ts"],
      messageIds: ["result-1"],
      per: "request",
      remedy: { type: "clear", messageIds: ["result-1"] },
    });
    expect(finding?.tokens).toBeGreaterThan(290);
    expect(finding?.usd).toBeCloseTo(((finding?.tokens ?? 0) * 0.3) / 1_000_000, 9);
  });

  test("tell one result that fills a third of the window", () => {
    const findings = findFindings(source({ log: [task, ...read("1", "a.ts", 1_200)], requests: [request()] }));
    expect(findings).toMatchObject([{ kind: "large-result", messageIds: ["result-1"], names: ["Read"] }]);
    expect(kinds({ log: [task, ...read("1", "a.ts", 900)], requests: [request()] })).toEqual([]);
  });

  test("offer to hide what is not pinned", () => {
    const pinned = read("1", "a.ts", 1_200).map((message) => ({ ...message, important: true }));
    expect(findFindings(source({ log: [task, ...pinned], requests: [request()] }))).toMatchObject([
      { kind: "large-result", remedy: { type: "none", reason: expect.stringContaining("pinned") } },
    ]);
    const log = [task, ...pinned, ...read("2", "a.ts", 300), ...read("3", "a.ts", 300)];
    const [repeated] = findFindings(source({ log, requests: [] }));
    expect(repeated?.remedy).toEqual({ type: "clear", messageIds: ["result-2"] });
  });

  test("tell folds in quick succession", () => {
    const folded = (id: string) => request({ foldIds: [id], rereadTokens: 50 });
    const [finding] = findFindings(source({ requests: [folded("a"), request(), folded("b"), folded("c")] }));
    expect(finding).toMatchObject({ kind: "thrash", tokens: 150, foldIds: ["a", "b", "c"], remedy: { type: "none" } });
    expect(kinds({ requests: [folded("a"), request(), folded("b")] })).toEqual([]);
  });

  test("tell calls that found no cache after a pause, and what that cost", () => {
    const minute = 60_000;
    const usage = { inputTokens: 0, cacheWriteTokens: 1_000_000, outputTokens: 1 };
    const warm = { inputTokens: 0, cacheReadTokens: 1_000_000, outputTokens: 1 };
    const requests = [request({ usage }), request({ at: minute, usage: warm }), request({ at: 30 * minute, usage })];
    const [finding] = findFindings(source({ requests }));
    expect(finding).toMatchObject({ kind: "cold-calls", tokens: 1_000_000, per: "session" });
    expect(finding?.usd).toBeGreaterThan(0);
    expect(kinds({ requests: requests.slice(0, 2) })).toEqual([]);
  });

  test("tell tools that were never called, once there were enough requests", () => {
    const tools = [
      { name: "Read", characters: 100 },
      { name: "Draw", characters: 300 },
    ];
    const log = [task, ...read("1", "a.ts", 10)];
    const requests = Array.from({ length: 10 }, () => request());
    expect(findFindings(source({ log, tools, requests }))).toMatchObject([
      { kind: "unused-tools", names: ["Draw"], tokens: 300 },
    ]);
    expect(kinds({ log, tools, requests: requests.slice(1) })).toEqual([]);
  });

  test("tell what binds the agent and is hidden, first of all", () => {
    const log: readonly Message[] = [
      { ...task, condenseParent: "c1" },
      { role: "assistant", content: "Summary.", isSummary: true, condenseId: "c1" },
      { role: "assistant", content: "Done." },
      { id: "newest", role: "user", content: "And the logout." },
    ];
    const [finding] = findFindings(source({ log, view: log.slice(1) }));
    expect(finding).toMatchObject({
      kind: "hidden-instruction",
      foldIds: ["c1"],
      remedy: { type: "restore", from: "task", to: "task" },
      detail: expect.stringContaining("Mend the login."),
    });
  });
});

test("tools are found in the bodies of all APIs", () => {
  const names = (body: unknown) => declaredTools(JSON.stringify(body)).map(({ name }) => name);
  expect(names({ tools: [{ name: "a", input_schema: {} }] })).toEqual(["a"]);
  expect(names({ tools: [{ type: "function", function: { name: "b" } }] })).toEqual(["b"]);
  expect(names({ tools: [{ functionDeclarations: [{ name: "c" }, { name: "d" }] }] })).toEqual(["c", "d"]);
  expect(names({ request: { tools: [{ functionDeclarations: [{ name: "e" }] }] } })).toEqual(["e"]);
  expect([names({}), names({ tools: "x" }), names([1]), declaredTools("{")]).toEqual([[], [], [], []]);
});
