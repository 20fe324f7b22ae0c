/** Runs agents at gateways, and looks at what is kept in the end. */
import { expect } from "vitest";
import type { Store } from "../../src/core/ports/store.ts";
import { perform, type Run } from "./gateway-acts.ts";
import { createAgent } from "./gateway-agents.ts";
import type { GatewayPlan } from "./gateway-plans.ts";
import { createWorld } from "./gateway-world.ts";

/** Gives how many requests went folded. */
export async function runGateways(plan: GatewayPlan, open: () => Store): Promise<number> {
  const agents = plan.agents.map(createAgent);
  const world = createWorld(plan, { open, openToRead: open });
  const run: Run = {
    world,
    plan,
    agents,
    allowed: agents.length,
    window: plan.window,
    newest: new Map(),
    foldedCount: 0,
    label: "",
  };
  for (const [index, act] of plan.acts.entries()) {
    const agent = agents[act.agent % agents.length];
    if (agent === undefined) break;
    run.label = `act ${index}, ${act.type} of agent ${agent.index}`;
    await perform(run, agent, act);
    expect(world.incidents(), `${run.label}: incidents`).toEqual([]);
    const ids = await world.sessionIds();
    expect(ids.length, `${run.label}: sessions ${ids.join(" ")}`).toBeLessThanOrEqual(run.allowed);
  }
  await expectNothingLost(run);
  await expectReproduced(run);
  return run.foldedCount;
}

async function expectNothingLost({ world, agents }: Run): Promise<void> {
  const everything = await world.everything();
  for (const { sent } of agents) {
    for (const said of sent.flat()) {
      const texts = said.type === "answers" ? said.results.map(({ text }) => text) : [said.text];
      for (const text of texts) {
        const isKept = everything.includes(JSON.stringify(text).slice(1, -1));
        expect(isKept, `what was said is kept: ${text.slice(0, 100)}`).toBe(true);
      }
    }
  }
}

/** What went upstream for a session is shown as it was, request by request. */
async function expectReproduced({ world }: Run): Promise<void> {
  for (const id of await world.sessionIds()) {
    const own = world.sent().filter(({ sessionId }) => sessionId === id);
    expect(await world.reproduced(id), `the requests of ${id}`).toEqual(own.map(({ body }) => body));
  }
}
