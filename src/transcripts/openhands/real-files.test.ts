import { describe, expect, test } from "vitest";
import {
  expectNear,
  expectWellFormed,
  type Json,
  pairCounts,
  parseLines,
  readDocument,
  readRecords,
  realFiles,
} from "../../../test/support/transcripts.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countMessagesTokens, countTextTokens } from "../../index.ts";
import { openhandsFormat, openhandsOutputFormat } from "./index.ts";

const files = realFiles("openhands/*");

describe.skipIf(files.length === 0)("trajectories of OpenHands", () => {
  test.each(files)("$path is read whole", ({ path, text }) => {
    const document: Json = JSON.parse(text);
    const transcript = readDocument(openhandsFormat, document);
    const { messages, problems } = transcript;
    expectWellFormed(transcript);
    expect(problems).toEqual([]);
    const events: readonly Json[] = document.history ?? document;
    const calls = events.filter(isCall).length;
    // The call that ends a session has no result.
    const hasOpenCall = events.at(-1)?.tool_call_metadata !== undefined;
    expect(pairCounts(messages)).toEqual({ calls, results: hasOpenCall ? calls - 1 : calls });
    const broken = validateView(messages).filter(({ code }) => code !== "missing-result");
    expect(broken).toEqual([]);
    expectNear(countMessagesTokens(messages), rawTokens(events));
    if (!path.endsWith(".jsonl")) return;
    const { format: _, ...rest } = readRecords(openhandsOutputFormat, parseLines(text));
    expect(transcript).toMatchObject(rest);
  });
});

function isCall({ action, agent, environment, ...event }: Json): boolean {
  if (agent !== undefined) return environment !== null && environment !== undefined;
  if (event.tool_call_metadata !== undefined) return action !== undefined;
  return ["run", "run_ipython", "edit", "read"].includes(action) && event.source !== "user";
}

function rawTokens(events: readonly Json[]): number {
  const texts = events.flatMap((event) => {
    if (event.agent !== undefined) return stepTexts(event);
    if (event.observation !== undefined) return observationTexts(event);
    if (event.action === "message") return [event.args?.content ?? event.content];
    if (!isCall(event)) return [event.action === "finish" ? event.thought : ""];
    const message = event.tool_call_metadata?.model_response.choices[0].message;
    const call = message?.tool_calls[0].function;
    const input = call ? call.arguments : JSON.stringify({ code: event.code, command: event.command });
    return [message?.content ?? event.thought, `Tool: ${call?.name ?? event.action}\nArguments: ${input}`];
  });
  return texts.reduce((sum, text) => sum + countTextTokens(text ?? ""), 0);
}

function stepTexts({ user_message, agent, environment }: Json): readonly string[] {
  return [
    user_message ?? "",
    agent.thought,
    `Tool: action\nArguments: ${JSON.stringify(agent.action)}`,
    environment ?? "",
  ];
}

function observationTexts({ observation, content, extras }: Json): readonly string[] {
  if (observation === "recall") return extras.microagent_knowledge.map((item: Json) => item.content);
  return ["null", "agent_state_changed"].includes(observation) ? [] : [`Result: toolu_01\n${content}`];
}
