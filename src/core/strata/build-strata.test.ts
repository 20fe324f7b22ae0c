import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { createEngine } from "../../engine/create-engine.ts";
import { strataOf } from "../../engine/session/requests/session-strata.ts";
import type { Session } from "../../engine/session/session.ts";
import { collectStandIns, effectiveView, isHidden } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import type { Strata } from "./build-strata.ts";
import { blockRunsWithin, runsWithin } from "./strata-row.ts";

const say = (index: number): Message => ({
  id: `m${index}`,
  role: index % 2 === 0 ? "user" : "assistant",
  content: `${index} says something `.repeat(40),
});

/** The same, with a call in the second message, and its result beside a text in the third. */
const act = (index: number): Message => {
  const { content, ...rest } = say(index);
  const text = { type: "text", text: String(content) } as const;
  if (index === 1) return { ...rest, content: [text, { type: "tool_use", id: "t", name: "read", input: {} }] };
  const result = { type: "tool_result", tool_use_id: "t", content: String(content).repeat(5) } as const;
  return index === 2 ? { ...rest, content: [result, text] } : say(index);
};

async function openSession(): Promise<Session> {
  return createEngine({ model: "claude-sonnet-4-5", contextWindow: 32_000 }).session("s");
}

function stateAt(runs: readonly (readonly [number, number, string, string?])[], request: number): string | undefined {
  return runs.find(([first, last]) => first <= request && request <= last)?.[2];
}

describe("strata", () => {
  test("say what was sent, cached, hidden and restored, request by request", async () => {
    const session = await openSession();
    const ask = async (cacheReadTokens: number) =>
      session.recordRequest({ usage: { inputTokens: 10, cacheReadTokens, outputTokens: 1 } });
    await session.append(say(0), say(1), say(2));
    await ask(0);
    await session.append(say(3), say(4));
    await ask(1_000_000);
    await session.append(say(5), say(6));
    await ask(0);
    await session.condense();
    await ask(0);
    const [fold] = await session.folds();
    await session.restore(fold?.foldId ?? "");
    await ask(0);
    const strata = await strataOf(session);
    const states = strata.rows.map((row) => [0, 1, 2, 3, 4].map((at) => stateAt(runsWithin(row, 0, 5), at)));
    const hidden = states.filter(([, , , after]) => after === "hidden");
    expect(states[0]?.slice(0, 3)).toEqual(["sent", "cached", "sent"]);
    expect(states[5]?.slice(0, 3)).toEqual([undefined, undefined, "sent"]);
    expect(hidden.length).toBeGreaterThan(0);
    for (const row of hidden) expect(row[4]).toBe("restored");
    const summary = strata.rows.find(({ message }) => message.isSummary === true);
    expect(strata.shownFoldIds).toEqual([[], [], [], [fold?.foldId], []]);
    expect(summary && runsWithin(summary, 0, 5)).toEqual([[3, 3, "stand-in", fold?.foldId]]);
    expect(runsWithin(strata.rows[0] ?? expect.fail(), 1, 3)).toEqual([
      [1, 1, "cached"],
      [2, 2, "sent"],
    ]);
  });

  test("show a request as it was, also where its record was written after a later fold", async () => {
    for (const looksMeanwhile of [false, true]) {
      const session = await createEngine({ model: "gpt-4o", contextWindow: 4_000, maxTokens: 500 }).session("s");
      for (let index = 0; index < 40; index += 2) {
        await session.append(say(index), say(index + 1));
        await session.prepare();
        if (looksMeanwhile) await strataOf(session);
      }
      expect((await session.folds()).length).toBeGreaterThan(0);
      await expectTrue(session);
    }
  });

  const acts = fc.constantFrom(
    ...["say", "say", "say", "ask", "ask", "ask", "condense", "clear", "clear", "restore", "rewind", "undo", "mark"],
  );

  test("are what the log of each request's version shows, whatever was done", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 3, maxLength: 30 }), fc.nat(30), async (done, lookAt) => {
        const session = await openSession();
        let said = 0;
        for (const [index, each] of done.entries()) {
          if (index === lookAt) await strataOf(session);
          await perform(session, each, () => act(said++)).catch(() => undefined);
        }
        await expectTrue(session);
      }),
      PROPERTY_RUNS,
    );
  });
});

describe("blocks of a message", () => {
  const result: Message = {
    id: "results",
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "a", content: "first file ".repeat(400) },
      { type: "text", text: "Go on." },
    ],
  };
  const calls: Message = {
    id: "calls",
    role: "assistant",
    content: [{ type: "tool_use", id: "a", name: "read", input: { path: "a.ts" } }],
  };

  test("are shown one by one: a cleared result beside a text that is sent, and brought back", async () => {
    const session = await openSession();
    const ask = async (cacheReadTokens: number) =>
      session.recordRequest({ usage: { inputTokens: 10, cacheReadTokens, outputTokens: 1 } });
    await session.append(say(0), calls, result);
    await ask(0);
    await session.clearResults(["results"]);
    await ask(1_000_000);
    await ask(0);
    const [fold] = await session.folds();
    await session.restore(fold?.foldId ?? "");
    await ask(0);
    const { rows } = await strataOf(session);
    const row = rows.find(({ message }) => message.id === "results") ?? expect.fail();
    const blocks = [0, 1].map((block) => blockRunsWithin(row, block, { from: 0, to: 4 }));
    const foldId = fold?.foldId ?? "";
    expect(runsWithin(row, 0, 4)).toEqual([
      [0, 0, "sent"],
      [1, 2, "stand-in", foldId],
      [3, 3, "restored"],
    ]);
    expect(blocks).toEqual([
      [
        [0, 0, "sent"],
        [1, 2, "stand-in", foldId],
        [3, 3, "restored"],
      ],
      [
        [0, 0, "sent"],
        [1, 1, "cached"],
        [2, 3, "sent"],
      ],
    ]);
  });
});

async function perform(session: Session, act: string, next: () => Message): Promise<unknown> {
  switch (act) {
    case "say":
      return session.append(next(), next());
    case "ask":
      return session.recordRequest({ usage: { inputTokens: 100 } });
    case "condense":
      return session.condense();
    case "clear":
      return session.clearResults(["m2"]);
    case "restore":
      return session.restore((await session.folds())[0]?.foldId ?? "");
    case "rewind":
      return session.rewind({ toVersion: Math.floor((await session.version()) / 2) });
    case "undo":
      return session.rewind({ undo: true });
    default:
      return session.mark("m0", { important: true });
  }
}

/** Each request's column is the view of the log as it was then. */
async function expectTrue(session: Session): Promise<void> {
  const { rows, requests } = await strataOf(session);
  const history = await session.history();
  for (const [column, { version }] of requests.entries()) {
    const view = effectiveView(history.logAt(version));
    const shown = rows.filter((row) => {
      const state = stateAt(runsWithin(row, 0, requests.length), column);
      return state !== undefined && state !== "hidden";
    });
    const key = ({ id, condenseId, content }: Message) => id ?? condenseId ?? JSON.stringify(content);
    expect(shown.map(({ message }) => key(message)).toSorted()).toEqual(view.map(key).toSorted());
    expectBlocks(rows, history.logAt(version), { column, requests: requests.length });
  }
}

/** A block of a message that is sent is a stand-in where a fold of it shows, and nowhere else. */
function expectBlocks(rows: Strata["rows"], log: readonly Message[], at: { column: number; requests: number }): void {
  const row = rows.find(({ message }) => message.id === "m2");
  const message = effectiveLog(log).find(({ id }) => id === "m2");
  if (row === undefined || message === undefined) return;
  const states = [0, 1].map((block) => stateAt(blockRunsWithin(row, block, { from: 0, to: at.requests }), at.column));
  const isFolded = (block: number) => (message.folds ?? []).some(({ blockIndex }) => blockIndex === block);
  expect(states.map((state) => state === "stand-in")).toEqual([0, 1].map(isFolded));
}

/** The messages of a log that a view shows, with their folds. */
function effectiveLog(log: readonly Message[]): readonly Message[] {
  const standIns = collectStandIns(log);
  return log.filter((message) => !isHidden(message, standIns));
}
