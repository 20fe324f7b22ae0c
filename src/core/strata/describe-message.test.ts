import { expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { blockCount, describeBlocks, describeMessage } from "./describe-message.ts";

const said = (content: Message["content"]): Message => ({ role: "user", content });

test("a message is described in one line, whatever it holds", () => {
  expect(describeMessage(said("Read\n\n the   file."))).toMatchObject({ kind: "text", label: "Read the file." });
  const call = { type: "tool_use", id: "1", name: "read", input: { path: "a.ts" } } as const;
  expect(describeMessage(said([{ type: "text", text: "Now." }, call]))).toEqual({
    kind: "tool-call",
    label: 'read({"path":"a.ts"})',
    toolName: "read",
  });
  const result = { type: "tool_result", tool_use_id: "1", content: "line 1\nline 2" } as const;
  expect(describeMessage(said([result]))).toMatchObject({ kind: "tool-result", label: "line 1 line 2" });
  expect(describeMessage(said([{ type: "reasoning", text: "Hm." }]))).toMatchObject({
    kind: "reasoning",
    label: "Hm.",
  });
  expect(describeMessage(said([{ type: "server_tool_use" }]))).toMatchObject({
    kind: "other",
    label: "server_tool_use",
  });
  expect(describeMessage(said([]))).toEqual({ kind: "text", label: "", toolName: undefined });
  expect(describeMessage({ ...said("All is read."), isSummary: true })).toMatchObject({ kind: "summary" });
});

test("a long text is cut between characters, and only its beginning is read", () => {
  const { label } = describeMessage(said("😀".repeat(5_000_000)));
  expect([...label]).toHaveLength(80);
  expect(/\p{Surrogate}/u.test(label)).toBe(false);
});

test("each block of a message is described by itself", () => {
  const call = { type: "tool_use", id: "1", name: "read", input: { path: "a.ts" } } as const;
  const blocks = describeBlocks(said([{ type: "text", text: "Now I\nread." }, call]));
  expect(blocks).toMatchObject([
    { kind: "text", label: "Now I read." },
    { kind: "tool-call", label: 'read({"path":"a.ts"})', toolName: "read" },
  ]);
  for (const { tokens } of blocks) expect(tokens).toBeGreaterThan(0);
  expect(describeBlocks(said("One text."))).toMatchObject([{ kind: "text", label: "One text." }]);
  expect([blockCount(said("One text.")), blockCount(said([call, call])), blockCount(said([]))]).toEqual([1, 2, 0]);
});
