import type { Agent } from "./open-agent.ts";

/** Keeps log, state and files, where a checkpoint is due and there is a store to keep them in. */
export async function checkpointAgent({ options, session, state, savedState }: Agent): Promise<void> {
  if (options.store === undefined) return;
  await session.checkpointIfDue({ phase: state().l2_runtime.phase, state: savedState() });
}

/** The same, whether it is due or not. */
export async function keepAgent({ options, session, state, savedState }: Agent): Promise<void> {
  if (options.store === undefined) return;
  await session.checkpoint({ phase: state().l2_runtime.phase, state: savedState() });
}

/** The first checkpoint of a session, and the one before each further task: what can be gone back to whatever happens. */
export async function checkpointBeginning(agent: Agent): Promise<void> {
  if (agent.options.store === undefined) return;
  const [last] = await agent.session.checkpoints({ limit: 1 });
  await (last === undefined ? keepAgent(agent) : checkpointAgent(agent));
}
