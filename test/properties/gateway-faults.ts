/** Agents at gateways whose store fails now and then. */
import { expect } from "vitest";
import type { Store } from "../../src/core/ports/store.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { type Agent, ask, createAgent, step } from "./gateway-agents.ts";
import type { GatewayPlan } from "./gateway-plans.ts";
import { expectKept, expectNoOthersWords, expectPreserved, expectUnmixed, expectValid } from "./gateway-promises.ts";
import { createWorld } from "./gateway-world.ts";

export interface FaultPlan extends GatewayPlan {
  /** Which calls to the store fail, by their number; from the start again after the last. */
  readonly faults: readonly boolean[];
}

/** Every request is answered for, whatever fails; and once the store works again, nothing is missing. */
export async function runWithFaults(plan: FaultPlan, store: Store): Promise<void> {
  let callCount = 0;
  let isWorking = false;
  const before = (call: keyof Store) => {
    const isFailing = plan.faults[callCount++ % plan.faults.length] === true;
    if (isFailing && !isWorking) throw new Error(`The store's ${call} failed.`);
  };
  const world = createWorld(plan, { open: () => interceptStore(store, { before }), openToRead: () => store });
  const agents = plan.agents.map(createAgent);
  const stepOf = async (agent: Agent, act: GatewayPlan["acts"][number], label: string) => {
    if (act.type === "restart") world.restart(act.pick);
    if (act.type !== "retry") agent.talk = [...agent.talk, ...step(agent, act)];
    const sent = await world.send(ask(agent));
    expectValid(sent, label);
    expectPreserved(sent, label);
    expectNoOthersWords(sent, agent.index, label);
    return sent;
  };
  for (const [index, act] of plan.acts.entries()) {
    const acting =
      act.type === "all at once" ? agents : agents.filter((_, place) => place === act.agent % agents.length);
    await Promise.all(acting.map((agent) => stepOf(agent, act, `act ${index}, ${act.type} of agent ${agent.index}`)));
  }
  isWorking = true;
  const incidentCount = world.incidents().length;
  for (const agent of agents) {
    const label = `agent ${agent.index}, when the store works again`;
    const sent = await stepOf(agent, { type: "step", agent: 0, calls: 1, size: 100, pick: 0 }, label);
    await expectKept(sent, { world, label });
    await expectUnmixed(sent, agent.index, { world, label });
  }
  expect(world.incidents(), "incidents once the store works").toHaveLength(incidentCount);
}
