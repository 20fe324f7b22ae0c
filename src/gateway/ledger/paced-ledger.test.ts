import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions } from "../../core/ports/condensation.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { ledgerCondenser } from "../../engine/condense/ledger-condenser.ts";
import { createPacerPool } from "../pacer.ts";
import { createLedgerThread, type LedgerThread } from "./ledger-thread.ts";
import { pacedLedger, withPacedLedger } from "./paced-ledger.ts";

/** Steps of an agent that say different things: files, errors, decisions. */
function talk(steps: number, lineCount: number, seed = 0): readonly Message[] {
  const opening: Message = { id: "m0", role: "user", content: "Mend the build. Never touch src/legacy." };
  const turns = Array.from({ length: steps }, (_, at): readonly Message[] => {
    const id = `call-${seed}-${at}`;
    const path = `src/part-${(at * 7 + seed) % 23}/file-${at}.ts`;
    const lines = Array.from(
      { length: lineCount },
      (_, line) => `${line}: export const value${at}_${line} = ${seed + at * line};`,
    );
    return [
      { id: `m${2 * at + 1}`, role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { path } }] },
      {
        id: `m${2 * at + 2}`,
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: id, content: `${path}\n${lines.join("\n")}\nError: E${at} failed` },
        ],
      },
    ];
  });
  return [opening, ...turns.flat()];
}

function optionsFor(messages: readonly Message[], share = 0.5): CondensationOptions {
  const tokens = countMessagesTokens(messages);
  return {
    taskId: "task",
    modelId: "m",
    profileId: "default",
    trigger: "auto",
    contextWindow: tokens,
    prevContextTokens: tokens + 100,
    allowedTokens: Math.ceil(tokens * share),
    usedPercent: 100,
    systemPrompt: "",
    overheadTokens: 100,
    countTokens: countContentTokens,
    keepMessages: 3,
    maxModelCalls: 0,
    timeoutMs: 60_000,
  };
}

const thread = createLedgerThread();
afterAll(() => thread.close());
const incidents: unknown[] = [];
const ports = { thread, pacers: createPacerPool(), incident: (_what: string, error: unknown) => incidents.push(error) };

describe("a ledger of a large log", () => {
  test("is planned in another thread: the event loop goes on meanwhile", async () => {
    const messages = talk(400, 30);
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
      }
    })();
    const result = await pacedLedger(ports).condense(messages, optionsFor(messages));
    isOver = true;
    await others;
    expect(thread.isRunning()).toBe(true);
    expect(result.error).toBe(undefined);
    // one for each part that was handed over, and many while the thread was at work
    expect(turns).toBeGreaterThan(12);
    expect(incidents).toEqual([]);
  });

  test("is the same as in this thread, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(999),
        fc.integer({ min: 205, max: 260 }),
        fc.double({ min: 0.1, max: 0.8, noNaN: true }),
        async (seed, steps, share) => {
          const messages = talk(steps, 3, seed);
          const options = optionsFor(messages, share);
          const there = await pacedLedger(ports).condense(messages, options);
          const here = await ledgerCondenser().condense(messages, options);
          expect(JSON.stringify(there)).toBe(JSON.stringify(here));
        },
      ),
      { ...PROPERTY_RUNS, numRuns: 8 },
    );
    expect(incidents).toEqual([]);
  });

  test("is the same where the thread judged what came before the newest turn", async () => {
    const messages = talk(260, 3);
    const options = optionsFor(messages);
    const condenser = pacedLedger(ports);
    const giveUps = [messages.slice(0, -6), messages.slice(0, -4), messages.slice(0, -2)].map((past) => {
      const giveUp = condenser.condenseAhead?.(past);
      return giveUp;
    });
    // Each was asked to give way before the next: only the last is held.
    for (const giveUp of giveUps.slice(0, -1)) giveUp?.();
    const there = await condenser.condense(messages, options);
    expect(JSON.stringify(there)).toBe(JSON.stringify(await ledgerCondenser().condense(messages, options)));
    giveUps.at(-1)?.();
    const again = await condenser.condense(messages, options);
    expect(JSON.stringify(again)).toBe(JSON.stringify(there));
    expect(incidents).toEqual([]);
  });

  test("is refused for the same reason as in this thread", async () => {
    const [only] = talk(0, 0);
    const messages = [{ ...only, role: "user", content: "word ".repeat(40_000) } satisfies Message];
    const options = optionsFor(messages);
    expect(await pacedLedger(ports).condense(messages, options)).toEqual(
      await ledgerCondenser().condense(messages, options),
    );
  });

  test("several at once are not mixed up", async () => {
    const logs = [1, 2, 3].map((seed) => talk(210, 2, seed * 100));
    const there = await Promise.all(logs.map((log) => pacedLedger(ports).condense(log, optionsFor(log))));
    const here = await Promise.all(logs.map((log) => ledgerCondenser().condense(log, optionsFor(log))));
    expect(there).toEqual(here);
  });
});

test("a small log is condensed here", async () => {
  const unused = createLedgerThread();
  const messages = talk(40, 3);
  await pacedLedger({ ...ports, thread: unused }).condense(messages, optionsFor(messages));
  expect(unused.isRunning()).toBe(false);
});

test("where the thread fails, the ledger is written here, and that is told", async () => {
  const told: string[] = [];
  const broken: LedgerThread = { ...thread, plan: () => Promise.reject(new Error("out of memory")) };
  const messages = talk(220, 2);
  const condenser = pacedLedger({
    ...ports,
    thread: broken,
    incident: (what, error) => told.push(`${what}: ${error}`),
  });
  const result = await condenser.condense(messages, optionsFor(messages));
  expect(result).toEqual(await ledgerCondenser().condense(messages, optionsFor(messages)));
  expect(told).toEqual(["ledger thread: Error: out of memory"]);
});

test("a thread that is ended fails what it was asked, and is started again for the next", async () => {
  const own = createLedgerThread();
  const messages = talk(300, 40);
  const { countTokens: _count, ...task } = optionsFor(messages);
  const asked = own.plan({ messages, task, pacer: createPacerPool().pacer() });
  await own.close();
  await expect(asked).rejects.toThrow("ended");
  const again = await own.plan({ messages, task, pacer: createPacerPool().pacer() });
  expect(again.type).toBe("condense");
  await own.close();
});

test("a thread that was not needed for a while ends", async () => {
  const own = createLedgerThread({ idleMs: 1 });
  const messages = talk(5, 2);
  const { countTokens: _count, ...task } = optionsFor(messages);
  await own.plan({ messages, task, pacer: createPacerPool().pacer() });
  while (own.isRunning()) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(own.isRunning()).toBe(false);
});

test("whoever gives up is told so, and nothing is planned for them", async () => {
  const messages = talk(220, 2);
  const signal = AbortSignal.abort(new Error("given up"));
  await expect(pacedLedger(ports).condense(messages, { ...optionsFor(messages), signal })).rejects.toThrow("given up");
});

test("a gateway has a ledger behind the condensers that it is given, unless one of them is one", () => {
  const other = { ...ledgerCondenser(), name: "other" };
  const names = (list: ReturnType<typeof withPacedLedger>) => list.map(({ name }) => name);
  expect(names(withPacedLedger(undefined, ports))).toEqual(["ledger"]);
  expect(names(withPacedLedger(other, ports))).toEqual(["other", "ledger"]);
  const own = ledgerCondenser();
  expect(withPacedLedger([other, own], ports)).toEqual([other, own]);
});
