/** A session with a fact that only a fold holds, and a model that knows nothing but what it is sent. */
import { expect } from "vitest";
import type { Message } from "../../src/core/message/message.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { createBareEngine, type EngineOptions } from "../../src/index.ts";
import type { ModelRequest, ScriptedReply } from "../../src/testing/index.ts";
import { assistant, call, result, user } from "./messages.ts";

/** What is asked for; nothing but one line of an old tool result says it. */
export const HIDDEN_FACT = "KX-48213-ZULU";
export const QUESTION = "Which seal number does pump 17 have?";
/** The words that the scripted model searches for. */
export const QUERY = "seal number of pump 17";

const FACT_LINE = `pump 17: seal number ${HIDDEN_FACT}, last greased in week 31`;

/** A long talk in which the fact was read early on, with ids m0, m1 …; the last message asks for it. */
export function talkWithFact(): readonly Message[] {
  const listing = Array.from({ length: 60 }, (_, pump) =>
    pump === 17 ? FACT_LINE : `pump ${pump}: nothing to report, the valve of hall ${pump % 7} is closed`,
  ).join("\n");
  const messages = [
    user("Look after the pumps."),
    assistant(call("toolu_pumps", "read_file", { path: "pumps.txt" })),
    user(result("toolu_pumps", listing)),
    ...Array.from({ length: 60 }, (_, at) => [
      assistant(`I went through hall ${at} and saw that everything is in order there. ${"All quiet. ".repeat(40)}`),
      user(`Go on with hall ${at + 1}.`),
    ]).flat(),
    assistant("All halls are done."),
    user(QUESTION),
  ];
  return messages.map((message, at) => ({ id: `m${at}`, ts: (at + 1) * 1_000, ...message }));
}

/** The session, after what is old in it was hidden, the fact with it: without a ledger, which would quote it. */
export async function sessionWithHiddenFact(id = "pumps", options: Partial<EngineOptions> = {}): Promise<Session> {
  const engine = createBareEngine({ model: "claude-sonnet-4-5", contextWindow: 8_000, now: () => 1_000, ...options });
  const session = await engine.session(id, { messages: talkWithFact() });
  await session.prepare();
  expect(JSON.stringify(await session.view())).not.toContain(HIDDEN_FACT);
  return session;
}

/** Answers the question where the prompt holds the fact, and calls the recall tool where it does not. */
export function replyFromPrompt({ rawBody }: ModelRequest): ScriptedReply {
  const known = /seal number (KX-[\w-]+)/.exec(rawBody)?.[1];
  if (known !== undefined) return { type: "text", text: `It is ${known}.` };
  return { type: "tool-calls", calls: [{ id: "toolu_recall", name: "recall", input: { query: QUERY } }] };
}
