/** What agents do at gateways, each request held against what was promised. */
import { expect } from "vitest";
import {
  type Agent,
  ask,
  cleared,
  cut,
  forgetWords,
  reminded,
  say,
  sentence,
  step,
  withOpening,
} from "./gateway-agents.ts";
import type { Act, GatewayPlan } from "./gateway-plans.ts";
import {
  expectFits,
  expectKept,
  expectOwnWords,
  expectPreserved,
  expectStill,
  expectUnmixed,
  expectValid,
} from "./gateway-promises.ts";
import type { Talk } from "./gateway-talk.ts";
import type { Sent, World } from "./gateway-world.ts";

export interface Run {
  readonly world: World;
  readonly plan: GatewayPlan;
  readonly agents: readonly Agent[];
  /** How many sessions there may be. */
  allowed: number;
  window: number;
  /** The newest request of each agent that went on with its talk. */
  readonly newest: Map<Agent, Sent>;
  /** How many requests went folded. */
  foldedCount: number;
  label: string;
}

export async function perform(run: Run, agent: Agent, act: Act): Promise<void> {
  switch (act.type) {
    case "step":
      return goOn(run, agent, [...agent.talk, ...step(agent, act)]);
    case "say":
      return goOn(run, agent, [...agent.talk, ...say(agent)]);
    case "retry":
      return retry(run, agent, 1);
    case "retry at once":
      return retry(run, agent, 3);
    case "send older":
      return sendOlder(run, agent, act.pick);
    case "reform":
      agent.form = {
        ...agent.form,
        asBlocks: act.pick % 2 === 0,
        isMarked: act.pick % 3 === 0,
        otherKeyOrder: act.pick % 5 === 0,
      };
      run.newest.delete(agent);
      return goOn(run, agent, agent.talk);
    case "remind":
      return remind(run, agent);
    case "clear results":
      forgetWords(agent, agent.talk);
      return change(run, agent, cleared(agent.talk), isAnyones(agent) ? 1 : 0);
    case "edit opening":
      forgetWords(agent, agent.talk.slice(0, 1));
      return change(run, agent, withOpening(agent.talk, sentence(agent)), 1);
    case "go back":
      return change(run, agent, [...cut(agent.talk, act.pick), ...say(agent)], 1);
    case "fork":
      agent.other = agent.talk;
      return change(run, agent, [...cut(agent.talk, act.pick), ...step(agent, act)], 1);
    case "swap":
      return swap(run, agent, act);
    case "compact":
      return change(run, agent, [{ type: "asks", text: `Summary of what came before: ${sentence(agent)}` }], 1);
    case "compact, keep opening":
      return change(
        run,
        agent,
        [
          ...agent.talk.slice(0, 1),
          { type: "replies", text: `I have seen ${sentence(agent)}`, calls: [] },
          { type: "asks", text: "Go on." },
        ],
        1,
      );
    case "title":
      return side(run, agent, [{ type: "asks", text: `A title for: ${sentence(agent)}` }]);
    case "summary":
      return side(run, agent, [...agent.talk, ...say(agent).slice(1)]);
    case "count":
      return count(run, agent, act);
    case "switch model":
      agent.isOtherModel = !agent.isOtherModel;
      run.newest.delete(agent);
      return goOn(run, agent, [...agent.talk, ...step(agent, act)]);
    case "be refused":
      return refuse(run, agent, act);
    case "set budget":
      return budget(run, agent, act);
    case "restart":
      return run.world.restart(act.pick);
    case "all at once":
      await Promise.all(run.agents.map((each) => goOn(run, each, [...each.talk, ...step(each, act)])));
  }
}

/** Whether somebody else may say exactly the same. */
function isShared(agent: Agent, talk: Talk): boolean {
  return talk.length <= agent.plan.sharedCount;
}

/** Where neither a name nor the id of a call says whose it is, what was changed may be another conversation. */
function isAnyones({ plan, talk }: Agent): boolean {
  // An opening alone may be that of a sub-agent of the same session.
  const isNamed = plan.naming !== "nothing" && plan.naming !== "body" && talk.length > 1;
  const hasIds = (plan.wire !== "gemini" || plan.hasCallIds) && talk.some(({ type }) => type === "answers");
  return !isNamed && !hasIds;
}

async function goOn(run: Run, agent: Agent, talk: Talk): Promise<void> {
  const before = run.newest.get(agent);
  const { label } = run;
  agent.talk = talk;
  const sent = await run.world.send(ask(agent));
  agent.sent.push(talk);
  await expectMain(run, agent, sent);
  expectFits(sent, run.window, label);
  if (before !== undefined && !agent.form.isMarked) expectStill(before, sent, label);
  run.newest.set(agent, sent);
}

async function expectMain(run: Run, agent: Agent, sent: Sent): Promise<void> {
  const { world, label } = run;
  if (!sent.isUnchanged) run.foldedCount += 1;
  expectValid(sent, label);
  expectPreserved(sent, label);
  expectOwnWords(sent, agent, label);
  if (isShared(agent, agent.talk)) return;
  await expectUnmixed(sent, agent.index, { world, label });
  await expectKept(sent, { world, label });
}

/** The agent's history is another one from now on. */
async function change(run: Run, agent: Agent, talk: Talk, newSessions: number): Promise<void> {
  run.allowed += newSessions;
  run.newest.delete(agent);
  await goOn(run, agent, talk);
}

async function retry(run: Run, agent: Agent, times: number): Promise<void> {
  const talk = agent.sent.at(-1);
  if (talk === undefined || talk !== agent.talk) return;
  const before = run.newest.get(agent);
  const ids = await run.world.sessionIds();
  const all = await Promise.all(Array.from({ length: times }, () => run.world.send(ask(agent))));
  // A gateway that was refused sends less than the other one: there, the same request may be folded further.
  const folded = all.filter(({ madeFolds }) => madeFolds);
  for (const sent of all) {
    await expectMain(run, agent, sent);
    if (before === undefined || sent.madeFolds) continue;
    expect(bodiesOf([before, ...folded]), `${run.label}: the same bytes`).toContain(sent.body);
  }
  expect(await run.world.sessionIds(), `${run.label}: sessions`).toHaveLength(ids.length);
  const [newest, ...others] = folded;
  if (newest === undefined) return;
  // From now on its bytes are those that stay. Of several, nobody knows which fold was the last.
  if (others.length === 0) run.newest.set(agent, newest);
  else run.newest.delete(agent);
}

function bodiesOf(requests: readonly Sent[]): readonly string[] {
  return requests.map(({ body }) => body);
}

async function sendOlder(run: Run, agent: Agent, pick: number): Promise<void> {
  const talk = cut(agent.talk, pick);
  // An opening alone says little: it may have been edited since.
  if (talk.length === 1 || talk.length === agent.talk.length || agent.sent.at(-1) !== agent.talk) return;
  const everything = await run.world.sessionIds();
  const sent = await run.world.send(ask(agent, { talk }));
  expectValid(sent, run.label);
  expectPreserved(sent, run.label);
  if (!isShared(agent, talk)) await expectUnmixed(sent, agent.index, run);
  expect(await run.world.sessionIds(), `${run.label}: sessions`).toHaveLength(everything.length);
}

async function remind(run: Run, agent: Agent): Promise<void> {
  run.newest.delete(agent);
  run.allowed += isAnyones(agent) ? 1 : 0;
  const talk = agent.talk;
  const sent = await run.world.send(ask(agent, { talk: reminded(talk) }));
  agent.sent.push(reminded(talk));
  expectValid(sent, run.label);
  expectPreserved(sent, run.label);
  await expectUnmixed(sent, agent.index, run);
  await expectKept(sent, run);
}

async function swap(run: Run, agent: Agent, act: Act): Promise<void> {
  const { other } = agent;
  if (other === undefined) return;
  agent.other = agent.talk;
  await change(run, agent, [...other, ...step(agent, act)], 1);
}

async function side(run: Run, agent: Agent, talk: Talk): Promise<void> {
  // Until it has called one, nothing says that its conversation is one with tools.
  if (!agent.talk.some(({ type }) => type === "answers") || agent.sent.at(-1) !== agent.talk) return;
  const sent = await run.world.send(ask(agent, { talk, hasTools: false }));
  expectSide(run, sent);
  await expectUnmixed(sent, agent.index, run);
  await expectMainUntouched(run, agent);
}

async function count(run: Run, agent: Agent, act: Act): Promise<void> {
  if (agent.plan.wire === "openai-chat" || agent.plan.wire === "openai-responses") return;
  const sent = await run.world.send(ask(agent, { talk: [...agent.talk, ...step(agent, act)], isCount: true }));
  expectSide(run, sent);
  await expectMainUntouched(run, agent);
}

function expectSide(run: Run, sent: Sent): void {
  // Without tools, Anthropic takes no calls: then the agent itself would be at fault.
  if (sent.made.request.api !== "anthropic") expectValid(sent, run.label);
  expectPreserved(sent, run.label);
}

/** What the agent said last is what its session ends with, as before. */
async function expectMainUntouched(run: Run, agent: Agent): Promise<void> {
  const newest = run.newest.get(agent);
  if (newest === undefined || isShared(agent, agent.talk)) return;
  await expectKept(newest, run);
}

async function refuse(run: Run, agent: Agent, { pick, ...act }: Act): Promise<void> {
  agent.talk = [...agent.talk, ...step(agent, act)];
  run.newest.delete(agent);
  // No server refuses a short one.
  if (ask(agent).request.body.length < 20_000) return goOn(run, agent, agent.talk);
  const limitTokens = pick % 2 === 0 ? undefined : Math.floor(run.window * 0.8);
  const sent = await run.world.send(ask(agent), { limitTokens });
  agent.sent.push(agent.talk);
  await expectMain(run, agent, sent);
}

async function budget(run: Run, agent: Agent, act: Act): Promise<void> {
  const budgetTokens = 4_000 + act.pick;
  agent.talk = [...agent.talk, ...step(agent, act)];
  run.newest.delete(agent);
  const sent = await run.world.send(ask(agent, { budgetTokens }));
  agent.sent.push(agent.talk);
  await expectMain(run, agent, sent);
  expectFits(sent, budgetTokens, run.label);
}
