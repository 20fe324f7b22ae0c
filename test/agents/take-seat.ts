import type { Agent } from "./agent.ts";
import type { AgentRig, Seat, SeatOptions } from "./agent-rig.ts";
import { installAgent } from "./install-agent.ts";

export interface TakeSeatOptions extends Pick<SeatOptions, "notes" | "isDirect"> {
  /** Of the test, which is skipped where the agent cannot be installed. */
  readonly skip: (reason: string) => never;
}

/** The only seat of a rig. */
export async function takeSeat(rig: AgentRig, agent: Agent, { skip, ...options }: TakeSeatOptions): Promise<Seat> {
  const installation = await installAgent(agent);
  if (installation.type === "missing") return skip(installation.reason);
  return rig.seat(agent, { ...options, executable: installation.executable, owner: "first" });
}
