/** What was really said in a conversation with calls of the gateway's recall tool, by what the provider got and gave. */
import { expect } from "vitest";
import { WIRE_ADAPTERS } from "../../src/adapters/index.ts";
import type { Block, Content, Message } from "../../src/core/message/message.ts";
import { isToolResult, isToolUse } from "../../src/core/message/tool-pairs.ts";
import type { ModelRequest, ScriptedReply } from "../../src/testing/index.ts";
import type { SdkKind } from "../support/gateway-client.ts";

/** One step of the agent. */
export interface SaidStep {
  /** What the agent said, or what each of its own calls returned. */
  readonly own: readonly string[];
  /** How many calls of the recall tool the reply before had beside the agent's own: their results come with this step. */
  readonly beside: number;
  /** How many replies of this step did nothing but recall. */
  readonly rounds: number;
  /** The last request of the step, which holds all of this, and the reply to it. */
  readonly request: ModelRequest;
  readonly reply: ScriptedReply;
}

/** Keeps account of a conversation, step by step. */
export interface RecallTruth {
  said(step: SaidStep): void;
  /** All of it but the newest reply and what was recalled in it, which no request has brought back. */
  lines(): readonly string[];
}

export function keepTruth(kind: SdkKind): RecallTruth {
  const adapter = WIRE_ADAPTERS.find(({ name }) => name === kind.api) ?? expect.fail();
  const lines: string[] = [];
  let newest: readonly string[] = [];
  return {
    said({ own, beside, rounds, request: { path, rawBody }, reply }) {
      const [plainPath = ""] = path.split("?");
      const { messages } = adapter.readRequest({ path: plainPath, body: rawBody }) ?? expect.fail();
      const replies = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
      const start = replies.at(-rounds) ?? messages.length;
      const recalled = rounds === 0 ? [] : messages.slice(start);
      const before = messages.slice((replies.filter((index) => rounds === 0 || index < start).at(-1) ?? -1) + 1);
      // What the agent said itself may be clipped in the same request: it is known.
      lines.push(...newest, ...linesOf(before).slice(0, beside), ...own);
      newest = [...linesOf(recalled), ...linesOfReply(reply)];
    },
    lines: () => joined(lines),
  };
}

function linesOfReply(reply: ScriptedReply): readonly string[] {
  if (reply.type !== "text" && reply.type !== "tool-calls") return [];
  const calls = reply.type === "text" ? [] : reply.calls;
  const text = reply.text ?? "";
  return [
    ...(text === "" ? [] : [`assistant says ${text}`]),
    ...calls.map(({ name, input }) => `calls ${name} ${JSON.stringify(input)}`),
  ];
}

/** One line for each thing that messages say. */
export function linesOf(messages: readonly Message[]): readonly string[] {
  const lines = messages.flatMap(({ role, content }) =>
    blocksOf(content).flatMap((block) => {
      if (isToolUse(block)) return [`calls ${block.name} ${JSON.stringify(block.input)}`];
      if (isToolResult(block)) return [`result ${textOf(block.content ?? "")}`];
      const text = textOf([block]);
      return text === "" ? [] : [`${role} says ${text}`];
    }),
  );
  return joined(lines);
}

function blocksOf(content: Content): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(content: Content): string {
  const texts = blocksOf(content).map((block) => (block.type === "text" && "text" in block ? String(block.text) : ""));
  return withoutNotice(texts.join(""));
}

/** Whether a log is what was said. Of results that were clipped when they were first sent, nobody but the log has the whole. */
export function isTruth(log: readonly Message[], truth: readonly string[]): boolean {
  const lines = linesOf(log);
  const isSame = (line: string, at: number) =>
    line === truth[at] || (line.startsWith("result ") && truth[at]?.includes("hidden in fold") === true);
  return lines.length === truth.length && lines.every(isSame);
}

/** How full the window is, is told beside what is said. */
function withoutNotice(text: string): string {
  return text.replace(/\n*\[context: \d+ %[^\]]*\]$/, "");
}

/** Some APIs stream a text in pieces, which clients send back as they came. */
function joined(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const line of lines) {
    const [start] = /^(?:user|assistant) says /.exec(line) ?? [];
    const before = whole.at(-1);
    if (start !== undefined && before?.startsWith(start)) whole[whole.length - 1] = before + line.slice(start.length);
    else whole.push(line);
  }
  return whole;
}
