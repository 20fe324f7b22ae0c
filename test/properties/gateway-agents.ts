/** Agents that resend their whole history with each request, and now and then change it. */

import type { Act, AgentPlan, Naming } from "./gateway-plans.ts";
import { type MadeRequest, makeRequest, type RequestPlan } from "./gateway-requests.ts";
import type { Form, Said, Talk } from "./gateway-talk.ts";

export interface Agent {
  readonly plan: AgentPlan;
  readonly index: number;
  talk: Talk;
  /** Another continuation of an earlier point of the talk. */
  other: Talk | undefined;
  /** What was sent so far, the newest last. */
  readonly sent: Talk[];
  form: Form;
  isOtherModel: boolean;
  words: number;
  /** Words that the agent took out of messages that stayed: a summary may still have them. */
  readonly takenOut: Set<string>;
}

/** What agents say that have nothing of their own to say yet. */
const SHARED: Talk = [
  { type: "asks", text: "Fix the login test of this project, please." },
  { type: "replies", text: "Sure, let me have a look.", calls: [] },
  { type: "asks", text: "Go on." },
];
const PLAIN = { asBlocks: false, isMarked: false, otherKeyOrder: false };

export function createAgent(plan: AgentPlan, index: number): Agent {
  const agent: Agent = {
    plan,
    index,
    talk: [],
    other: undefined,
    sent: [],
    form: { ...PLAIN, hasCallIds: plan.hasCallIds },
    isOtherModel: false,
    words: 0,
    takenOut: new Set(),
  };
  agent.talk = plan.sharedCount > 0 ? SHARED.slice(0, plan.sharedCount) : [{ type: "asks", text: sentence(agent) }];
  return agent;
}

/** In everything that only this agent says. */
export function tagOf(index: number): string {
  return `agent${index}says`;
}

/** The words by which agents, and what they said when, are told apart. */
export function wordsIn(text: string): readonly string[] {
  return text.match(/agent\d+says\d+e/g) ?? [];
}

export function forgetWords({ takenOut }: Agent, talk: Talk): void {
  for (const word of wordsIn(JSON.stringify(talk))) takenOut.add(word);
}

function word(agent: Agent): string {
  agent.words += 1;
  return `${tagOf(agent.index)}${agent.words}e`;
}

export function sentence(agent: Agent): string {
  return `${word(agent)}: look for the cause, then fix it in ${word(agent)}.ts.`;
}

/** Goes on with a call or several, and what they gave. */
export function step(agent: Agent, { calls, size }: Pick<Act, "calls" | "size">): Talk {
  const made = Array.from({ length: calls }, () => ({ id: `call_${word(agent)}`, path: `src/${word(agent)}.ts` }));
  const results = made.map((call) => ({ ...call, text: resultText(agent, size) }));
  const text = agent.words % 3 === 0 ? `${word(agent)} comes next.` : "";
  return [
    { type: "replies", text, calls: made },
    { type: "answers", results },
  ];
}

export function say(agent: Agent): Talk {
  return [
    { type: "replies", text: `${word(agent)} is done.`, calls: [] },
    { type: "asks", text: sentence(agent) },
  ];
}

function resultText(agent: Agent, size: number): string {
  const lines = [`The result is ${word(agent)}.`];
  for (let length = 0, line = 0; length < size; line++) {
    const text = `export const value${line} = compute(${line * 31}, "${tagOf(agent.index)}${agent.words}-${line}");`;
    length += text.length;
    lines.push(text);
  }
  return lines.join("\n");
}

/** A place where the agent could have stopped: behind a question or behind results. */
export function cut(talk: Talk, pick: number): Talk {
  const ends = talk.flatMap(({ type }, index) => (type === "replies" ? [] : [index + 1]));
  return talk.slice(0, ends[pick % ends.length]);
}

/** The agent clears all results but the newest. */
export function cleared(talk: Talk): Talk {
  const newest = talk.findLastIndex(({ type }) => type === "answers");
  return talk.map((said, index): Said => {
    if (said.type !== "answers" || index === newest) return said;
    return { ...said, results: said.results.map((result) => ({ ...result, text: "[Old result cleared]" })) };
  });
}

export function reminded(talk: Talk): Talk {
  return talk.map((said, index): Said => {
    if (index < talk.length - 1 || said.type === "replies") return said;
    return { ...said, reminder: "<reminder>The list of things to do is empty.</reminder>" };
  });
}

export function withOpening(talk: Talk, more: string): Talk {
  return talk.map((said, index): Said => {
    return index === 0 && said.type === "asks" ? { ...said, text: `${said.text} ${more}` } : said;
  });
}

export interface Ask {
  readonly talk?: Talk;
  readonly hasTools?: boolean;
  readonly isCount?: boolean;
  readonly budgetTokens?: number;
}

export function ask(
  agent: Agent,
  { talk = agent.talk, hasTools = true, isCount = false, budgetTokens }: Ask = {},
): MadeRequest {
  const { plan, index, form, isOtherModel } = agent;
  const budget = budgetTokens === undefined ? {} : { "x-palimpsest-budget": String(budgetTokens) };
  const request: RequestPlan = {
    wire: plan.wire,
    talk,
    form,
    isOtherModel,
    hasTools,
    isCount,
    headers: { ...namedIn(plan.naming, `s${index}`), ...budget },
    bodySession: plan.naming === "body" && plan.wire !== "gemini" ? `body${index}` : undefined,
  };
  return makeRequest(request);
}

function namedIn(naming: Naming, name: string): Readonly<Record<string, string>> {
  switch (naming) {
    case "ours":
      return { "x-palimpsest-session": name };
    case "claude-code":
      return { "x-claude-code-session-id": name };
    case "thread":
      return { "thread-id": name };
    case "header":
      return { "x-session-id": name };
    case "body":
    case "nothing":
      return {};
  }
}
