/** Lives planned sessions through in two engines on one store, and holds each step against the model. */
import { expect } from "vitest";
import { restoreAllMessages } from "../../src/core/history/restore.ts";
import { newProblems } from "./promises.ts";
import { append, engineOn, type Line, perform, type Run, type StoredWorld, sessionOf } from "./stored-session-acts.ts";
import { momentNow, NEW_SESSION, viewOf } from "./stored-session-model.ts";
import type { StoredPlan } from "./stored-session-plans.ts";

export async function runStoredSessions(plan: StoredPlan, world: StoredWorld): Promise<void> {
  const engines = world.stores.map((store) => engineOn(store, plan));
  const line: Line = { id: `${world.prefix}-0`, model: NEW_SESSION };
  const run: Run = { ...world, plan, opened: [], engines, lines: [line], turns: 0 };
  try {
    await append(run, line, { session: await sessionOf(run, 0, line), turns: plan.opening });
    await check(run, line);
    for (const { engine, session, act } of plan.steps) {
      const chosen = run.lines[session % run.lines.length] ?? line;
      await perform(run, chosen, { engine, act });
      await check(run, chosen);
    }
    for (const each of run.lines) {
      await check(run, each);
      // Whatever was done, by whomever: the chain of the records is one, and no fold changed a message.
      const verified = await (await sessionOf(run, 0, each)).verify();
      expect(verified).toMatchObject({ type: "intact", messages: momentNow(each.model).said.length });
    }
  } finally {
    for (const store of run.opened) await store.close();
  }
}

/** Both engines have the model's log and view, byte for byte; nothing is lost, and providers would take the view. */
async function check(run: Run, line: Line): Promise<void> {
  const moment = momentNow(line.model);
  const view = viewOf(moment);
  for (const engine of [0, 1]) {
    const session = await sessionOf(run, engine, line);
    expect(JSON.stringify(await session.log())).toBe(JSON.stringify(moment.log));
    expect(JSON.stringify(await session.view())).toBe(JSON.stringify(view));
    expect(await session.version()).toBe(line.model.version);
  }
  expect(JSON.stringify(restoreAllMessages(moment.log))).toBe(JSON.stringify(moment.said));
  expect(newProblems(view, moment.said)).toEqual([]);
}
