import type { Agent } from "./open-agent.ts";

/** Saves a checkpoint of log, state and files if one is due. Without a store, does nothing. */
export async function checkpointAgent({ options, session, state, savedState }: Agent): Promise<void> {
  if (options.store === undefined) return;
  await session.checkpointIfDue({ phase: state().l2_runtime.phase, state: savedState() });
}

/** Saves a checkpoint, whether one is due or not. Without a store, does nothing. */
export async function keepAgent({ options, session, state, savedState }: Agent): Promise<void> {
  if (options.store === undefined) return;
  await session.checkpoint({ phase: state().l2_runtime.phase, state: savedState() });
}

/** Saves a session's first checkpoint and, before each further task, one if it is due, so that there is always one to go back to. */
export async function checkpointBeginning(agent: Agent): Promise<void> {
  if (agent.options.store === undefined) return;
  const [last] = await agent.session.checkpoints({ limit: 1 });
  await (last === undefined ? keepAgent(agent) : checkpointAgent(agent));
}
