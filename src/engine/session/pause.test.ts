import { expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import { createEngine } from "../create-engine.ts";

/** Steps of an agent, more than a window holds. */
function talk(steps: number): readonly Message[] {
  const turns = Array.from({ length: steps }, (_, at): readonly Message[] => {
    const id = `call-${at}`;
    return [
      { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { path: `src/${at}.ts` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `line ${at}\n`.repeat(30) }] },
    ];
  });
  return [{ role: "user", content: "Mend the build." }, ...turns.flat()];
}

async function prepareWith(messages: readonly Message[], pause?: () => Promise<void> | undefined) {
  const engine = createEngine({ model: "unknown", contextWindow: 20_000, pause, log: () => undefined });
  const session = await engine.session("task", { messages });
  return (await session.prepare()).messages;
}

test("a long log is folded step by step, with pauses between them, to the same view as in one go", async () => {
  const messages = talk(700);
  let pauses = 0;
  let turns = 0;
  const view = await prepareWith(messages, () => {
    pauses += 1;
    return new Promise((resolve) => setImmediate(resolve)).then(() => {
      turns += 1;
    });
  });
  expect(view).toEqual(await prepareWith(messages));
  expect(pauses).toBeGreaterThan(6);
  expect(turns).toBe(pauses);
});

test("a short log is folded without a pause", async () => {
  const messages = talk(300);
  let pauses = 0;
  const view = await prepareWith(messages, () => {
    pauses += 1;
    return undefined;
  });
  expect(view.length).toBeLessThan(messages.length);
  expect(pauses).toBe(0);
});

test("what is appended while a fold pauses is behind it", async () => {
  const engine = createEngine({
    model: "unknown",
    contextWindow: 20_000,
    log: () => undefined,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const session = await engine.session("task", { messages: talk(700) });
  const preparing = session.prepare();
  await new Promise((resolve) => setImmediate(resolve));
  const last: Message = { role: "assistant", content: "Done." };
  await session.append(last);
  await preparing;
  expect((await session.log()).at(-1)).toMatchObject(last);
  expect((await session.view()).at(-1)).toMatchObject(last);
});

test("a statement is summed step by step, of one session and of all, to the same as in one go", async () => {
  const pauses = { count: 0 };
  const stateWith = async (pause?: () => Promise<void>) => {
    const engine = createEngine({ model: "claude-sonnet-4-5", pause, now: () => 0, log: () => undefined });
    const session = await engine.session("task", { messages: talk(3) });
    for (let at = 0; at < 60; at++) {
      await session.recordRequest({ at: at * 1_000, usage: { inputTokens: 1_000 + 500 * at, outputTokens: 10 } });
    }
    return [await session.statement(), await engine.statement()];
  };
  const paced = await stateWith(() => {
    pauses.count += 1;
    return new Promise((resolve) => setImmediate(resolve));
  });
  expect(paced).toEqual(await stateWith());
  expect(pauses.count).toBeGreaterThan(2 * 5);
});
