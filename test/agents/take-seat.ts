import type { Agent } from "./agent.ts";
import type { AgentRig, Seat } from "./agent-rig.ts";
import { installAgent } from "./install-agent.ts";

export interface TakeSeatOptions {
  readonly notes: number;
  /** Of the test, which is skipped where the agent cannot be installed. */
  readonly skip: (reason: string) => never;
}

/** The only seat of a rig. */
export async function takeSeat(rig: AgentRig, agent: Agent, { notes, skip }: TakeSeatOptions): Promise<Seat> {
  const installation = await installAgent(agent);
  if (installation.type === "missing") return skip(installation.reason);
  return rig.seat(agent, { executable: installation.executable, owner: "first", notes });
}
