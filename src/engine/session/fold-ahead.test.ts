import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import type { CondensationPlugin } from "../../core/ports/condensation.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { ledgerCondenser } from "../condense/ledger-condenser.ts";
import { createEngine } from "../create-engine.ts";

/** Steps of an agent that say different things: files, errors, edits. */
function steps(count: number): readonly (readonly Message[])[] {
  return Array.from({ length: count }, (_, at) => {
    const path = `src/part-${at % 7}/file-${at}.ts`;
    const lines = Array.from(
      { length: 40 },
      (_, line) => `export const value${at}_${line} = compute${line % 5}(${at});`,
    );
    const failure = at % 4 === 0 ? `\nError: E${at} in ${path}` : "";
    return [
      { role: "assistant", content: [{ type: "tool_use", id: `call-${at}`, name: "Read", input: { path } }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `call-${at}`, content: `${lines.join("\n")}${failure}` }],
      },
    ];
  });
}

const TASK: Message = { role: "user", content: "Mend the build. Never touch src/legacy." };

function said(messages: readonly Message[]): number {
  return messages.filter(({ isSummary = false }) => !isSummary).length;
}

/** A ledger that emits an event when it prepares a fold, and counts the folds that are prepared and not released. */
function watchedLedger() {
  const events = new EventEmitter();
  const ledger = ledgerCondenser();
  const given: (readonly Message[])[] = [];
  let open = 0;
  const condenser: CondensationPlugin = {
    ...ledger,
    condenseAhead: (messages) => {
      const release = ledger.condenseAhead?.(messages);
      given.push(messages);
      open += 1;
      events.emit("prepared");
      return () => {
        open -= 1;
        release?.();
      };
    },
  };
  return { condenser, events, given, openFolds: () => open };
}

/** On a busy machine, the fold may be prepared while the test still awaits something else: then no event follows. */
async function untilPrepared({
  events,
  openFolds,
}: Pick<ReturnType<typeof watchedLedger>, "events" | "openFolds">): Promise<void> {
  if (openFolds() === 0) await once(events, "prepared");
}

describe("the next fold", () => {
  test("is prepared between requests, and is the same as without that time", async () => {
    const { condenser, events, given, openFolds } = watchedLedger();
    const store = memoryStore();
    const unhurried = await createEngine({ model: "claude-sonnet-4-5", store, condenser }).session("one", {
      messages: [TASK],
    });
    const hurried = await createEngine({ model: "claude-sonnet-4-5" }).session("one", { messages: [TASK] });
    let folds = 0;
    for (const step of steps(90)) {
      await unhurried.append(...step);
      await hurried.append(...step);
      const wasPrepared = openFolds() > 0;
      const prepared = await unhurried.prepare();
      const { messages } = await hurried.prepare();
      expect(JSON.stringify(prepared.messages)).toBe(JSON.stringify(messages));
      const { foldIds, foldsAtTokens = Number.POSITIVE_INFINITY, promptTokens } = prepared.report;
      if (foldIds.length > 0) {
        folds += 1;
        expect(wasPrepared).toBe(true);
        // the reply to the view before, and what it asked for, were not there yet
        expect(said(given.at(-1) ?? [])).toBe(said(await unhurried.log()) - 2);
        expect(openFolds()).toBe(0);
      } else if (promptTokens > foldsAtTokens - 8_000) await untilPrepared({ events, openFolds });
    }
    expect(folds).toBeGreaterThan(1);
    const reopened = await createEngine({ model: "claude-sonnet-4-5", store }).session("one");
    expect(JSON.stringify((await reopened.prepare()).messages)).toBe(
      JSON.stringify((await hurried.prepare()).messages),
    );
  });

  test("is not prepared far from a fold, and is given up when its session is closed", async () => {
    const { condenser, events, given, openFolds } = watchedLedger();
    const session = await createEngine({ model: "claude-sonnet-4-5", condenser }).session("one", { messages: [TASK] });
    for (const step of steps(40)) {
      await session.append(...step);
      const { report } = await session.prepare();
      const { foldsAtTokens = Number.POSITIVE_INFINITY, promptTokens } = report;
      if (promptTokens > foldsAtTokens - 8_000) break;
      expect(given).toEqual([]);
    }
    await untilPrepared({ events, openFolds });
    expect(openFolds()).toBe(1);
    session.close();
    expect(openFolds()).toBe(0);
  });

  test("does not keep a session that nobody has any more", async () => {
    const dropped = await preparedAndDropped();
    for (let tries = 0; tries < 100 && dropped.deref() !== undefined; tries++) {
      await setTimeout(20);
      collectGarbage();
    }
    expect(dropped.deref()).toBeUndefined();
  });
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** A session whose next fold is prepared, and that is neither closed nor held. */
async function preparedAndDropped(): Promise<WeakRef<object>> {
  const { condenser, ...ledger } = watchedLedger();
  const session = await createEngine({ model: "claude-sonnet-4-5", condenser }).session("one", { messages: [TASK] });
  for (const step of steps(40)) {
    await session.append(...step);
    const { report } = await session.prepare();
    if (report.promptTokens > (report.foldsAtTokens ?? Number.POSITIVE_INFINITY) - 8_000) break;
  }
  await untilPrepared(ledger);
  return new WeakRef(session);
}
