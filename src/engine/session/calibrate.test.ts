/** What a session keeps of its provider's reports: whoever opens it later foretells the same. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { prose, untyped } from "../../../test/support/sessions.ts";
import { countMessagesTokens, createEngine, type Message, type Session } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const MODEL = { model: "my-model", contextWindow: 200_000, now: () => 0 };
const PROMPT = { systemPrompt: prose(400, "You help"), tools: [{ name: "read", description: prose(100, "Reads") }] };
const RATIO = 1.3;
const NEXT = { from: "next-message" } as const;

/** A provider that makes 1.3 tokens of one of ours, and adds some of its own. */
const providerTokens = (view: readonly Message[]) => Math.round(1_500 + RATIO * countMessagesTokens(view));
const replyTo = (turn: number) => assistant(prose(150 + 30 * (turn % 7), `reply ${turn}`));
const outputTokens = (reply: Message) => Math.round(RATIO * countMessagesTokens([reply]));

async function promptTokens(session: Session): Promise<number> {
  return (await session.prepare()).report.promptTokens;
}

describe("a report that is kept", () => {
  test("is where the forecast starts in every process: from the sixth request on it is within 1 %", async () => {
    const store = memoryStore();
    const errors: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      // Each turn is another process's.
      const session = await createEngine({ ...MODEL, store }).session("task", PROMPT);
      await session.append(user(prose(100 + 40 * (turn % 5), `ask ${turn}`)));
      const { messages, report } = await session.prepare();
      const truth = providerTokens(messages);
      errors.push(Math.abs(report.promptTokens - truth) / truth);
      const reply = replyTo(turn);
      const usage = { inputTokens: 10, cacheReadTokens: truth - 10, outputTokens: outputTokens(reply) };
      expect(await session.calibrate(usage, NEXT)).toBe("kept");
      await session.append(reply);
    }
    expect(errors[0]).toBeGreaterThan(0.3);
    expect(Math.max(...errors.slice(5))).toBeLessThan(0.01);
  });

  test("holds from the next message on: what was said so far is decided as it was, in every process", async () => {
    const store = memoryStore();
    const open = () => createEngine({ ...MODEL, store }).session("task", PROMPT);
    const session = await open();
    await session.append(user(prose(2_000, "ask")));
    const before = await promptTokens(session);
    await session.calibrate({ inputTokens: 4_321 }, NEXT);
    expect([await promptTokens(session), await promptTokens(await open())]).toEqual([before, before]);
    await session.append(assistant("Yes."));
    const after = await promptTokens(session);
    expect(after).toBeGreaterThan(4_321);
    expect(after).toBeLessThan(4_341);
    expect(await promptTokens(await open())).toBe(after);
  });

  test("can hold at once, and is taken as the official clients give it", async () => {
    const session = await createEngine(MODEL).session("task");
    await session.append(user(prose(2_000, "ask")));
    await session.calibrate({ prompt_tokens: 3_210, completion_tokens: 5 });
    expect(await promptTokens(session)).toBe(3_210);
  });

  test("stays of use with another system prompt: only what that adds is counted", async () => {
    const session = await createEngine(MODEL).session("task", PROMPT);
    await session.append(user(prose(2_000, "ask")));
    await session.calibrate({ inputTokens: 4_321 });
    session.usePrompt({ systemPrompt: `${PROMPT.systemPrompt} ${prose(100, "Be brief")}` });
    const after = await promptTokens(session);
    expect(after).toBeGreaterThan(4_421);
    expect(after).toBeLessThan(4_461);
  });

  test("says how many tools there were", async () => {
    const session = await createEngine(MODEL).session("task", { ...PROMPT, tools: [] });
    await session.append(user(prose(2_000, "ask")));
    await session.calibrate({ inputTokens: 4_000 });
    expect(await session.events()).toMatchObject([{ type: "anchored", viewMessages: 1, toolTokens: 0 }]);
  });

  test.each([0, 5, 1_000_000, Number.NaN, -3])("teaches nothing where it says %d", async (inputTokens) => {
    const session = await createEngine(MODEL).session("task", PROMPT);
    await session.append(user(prose(2_000, "ask")));
    const before = await promptTokens(session);
    expect(await session.calibrate({ inputTokens })).toBe("implausible");
    expect([await promptTokens(session), await session.events()]).toEqual([before, []]);
  });

  test("is left out where others wrote to the session since the version that it is about", async () => {
    const session = await createEngine(MODEL).session("task");
    await session.append(user(prose(2_000, "ask")));
    const version = await session.version();
    await session.append(assistant("Yes."));
    expect(await session.calibrate({ inputTokens: 2_500 }, { version })).toBe("outdated");
    expect(await session.events()).toEqual([]);
  });

  test("is refused where it is none", async () => {
    const session = await createEngine(MODEL).session("task");
    await expect(session.calibrate(untyped("many"))).rejects.toThrow(/tokenRatio/);
    await expect(session.calibrate(1, { version: -1 })).rejects.toThrow(/version/);
  });

  test("that was damaged in a file teaches nothing, and breaks nothing", async () => {
    const session = await createEngine(MODEL).session("task");
    await session.append(user(prose(2_000, "ask")));
    await session.calibrate({ inputTokens: 2_900 });
    const text = JSON.stringify(await session.export());
    for (const [good, bad] of [
      ['"ratio":', '"ration":'],
      ['"promptTokens":2900', '"promptTokens":"many"'],
      ['"viewMessages":1', '"viewMessages":-1'],
      ['"overhead":{', '"overhead":null,"x":{'],
    ] as const) {
      const engine = createEngine({ ...MODEL, store: memoryStore() });
      const imported = await engine.importSession(JSON.parse(text.replace(good, bad)));
      expect(await promptTokens(imported)).toBeLessThan(2_900);
    }
  });
});

test("whatever is done to a session, whoever opens it again foretells the same", async () => {
  const acts = fc.array(
    fc.oneof(
      fc.record({ act: fc.constant("say"), size: fc.integer({ min: 1, max: 900 }) }),
      fc.record({ act: fc.constantFrom("report", "report at once"), size: fc.integer({ min: 60, max: 220 }) }),
      fc.record({ act: fc.constantFrom("condense", "rewind", "other prompt", "prepare"), size: fc.nat(5) }),
    ),
    { minLength: 5, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(acts, async (plan) => {
      const store = memoryStore();
      const session = await createEngine({ ...MODEL, store }).session("task", PROMPT);
      let prompt = PROMPT;
      let said = 0;
      for (const { act, size } of plan) {
        if (act === "say") {
          await session.append(user(prose(size, `ask ${said}`)), { ...replyTo(said), id: `m${said}` });
          said += 1;
        } else if (act === "report" || act === "report at once") {
          const inputTokens = Math.round((countMessagesTokens(await session.view()) * size) / 100);
          await session.calibrate({ inputTokens, outputTokens: size }, act === "report" ? NEXT : {});
        } else if (act === "condense") await session.condense();
        else if (act === "rewind" && said > 0) {
          await session.rewind({ toMessage: `m${Math.max(0, said - 1 - size)}` }).catch(() => undefined);
        } else if (act === "prepare") await session.prepare();
        else if (act === "other prompt") {
          prompt = { ...prompt, systemPrompt: prose(100 * size + 1, "You help") };
          session.usePrompt(prompt);
        }
      }
      const again = await createEngine({ ...MODEL, store }).session("task", prompt);
      const [one, other] = [await session.snapshot(), await again.snapshot()];
      expect(one.nextForecast).toEqual(other.nextForecast);
      expect(await promptTokens(session)).toBe(await promptTokens(again));
    }),
    { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 10) },
  );
});
