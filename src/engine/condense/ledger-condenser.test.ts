import { describe, expect, test } from "vitest";
import { assistant, call, chat, log, result, user } from "../../../test/support/messages.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions } from "../../core/ports/condensation.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { defaultValidators } from "../../core/validators/default-validators.ts";
import { runValidators } from "../../core/validators/run-validators.ts";
import { ledgerCondenser } from "./ledger-condenser.ts";

const session = log(
  user("Find the slow query in src/store.ts."),
  ...Array.from({ length: 30 }, (_, index) => {
    const body = Array.from({ length: 20 }, (_each, line) => `  const row${index}_${line} = query(${line});`).join(
      "\n",
    );
    return [assistant(call(`c${index}`, "Read", { path: `src/q${index}.ts` })), user(result(`c${index}`, body))];
  }).flat(),
);

function situation(messages: readonly Message[], fields: Partial<CondensationOptions> = {}): CondensationOptions {
  const overheadTokens = fields.overheadTokens ?? 500;
  return {
    ...{ taskId: "t", modelId: "m", profileId: "p", trigger: "auto", contextWindow: 12_000, allowedTokens: 8_000 },
    prevContextTokens: overheadTokens + countMessagesTokens(effectiveView(messages)),
    ...{ usedPercent: 90, systemPrompt: "", overheadTokens, countTokens: countContentTokens },
    ...{ keepMessages: 3, maxModelCalls: 0, timeoutMs: 1_000 },
    ...fields,
  };
}

describe("the ledger condenser", () => {
  test("stands below strategies that ask a model, and is ready in any window", () => {
    const { name, priority, shouldActivate } = ledgerCondenser();
    expect({ name, priority }).toEqual({ name: "ledger", priority: -10 });
    const { systemPrompt: _, ...context } = situation(session, { contextWindow: 2_000 });
    expect(shouldActivate({ ...context, messages: session })).toBe(true);
  });

  test("brings the prompt to half of what is accepted, for nothing", async () => {
    const done = await ledgerCondenser().condense(session, situation(session));
    expect(done).toMatchObject({ cost: 0, modelCalls: 0 });
    expect(done.error).toBeUndefined();
    expect(done.newContextTokens).toBeLessThanOrEqual(500 + (8_000 - 500) / 2);
    expect(done.newContextTokens).toBeGreaterThan(3_500);
    expect(restoreAllMessages(done.messages)).toEqual(session);
  });

  test("allows for a provider that counts more than we do", async () => {
    const ours = countMessagesTokens(session);
    const done = await ledgerCondenser().condense(session, situation(session, { prevContextTokens: 500 + 1.5 * ours }));
    const view = countMessagesTokens(effectiveView(done.messages));
    expect(1.5 * view).toBeLessThanOrEqual((8_000 - 500) / 2);
  });

  test("passes the checks that every condensation passes", async () => {
    const { messages, summary } = await ledgerCondenser().condense(session, situation(session));
    const [before, after] = [effectiveView(session), effectiveView(messages)];
    expect(runValidators(defaultValidators(), before, after, summary)).toMatchObject({ isValid: true });
  });

  test("works where system prompt and tools fill the target", async () => {
    const done = await ledgerCondenser().condense(session, situation(session, { overheadTokens: 5_000 }));
    expect(done.error).toBeUndefined();
    expect(done.newContextTokens).toBeLessThanOrEqual(8_000);
  });

  test("says why it cannot, and leaves the log alone", async () => {
    const short = chat(2);
    const done = await ledgerCondenser().condense(short, situation(short));
    expect(done.error).toMatch(/nothing to condense/);
    expect(done.messages).toBe(short);
  });

  test("refuses shares that mean nothing", () => {
    expect(() => ledgerCondenser({ targetShare: 0 })).toThrow(/targetShare is 0/);
    expect(() => ledgerCondenser({ tailShare: 1 })).toThrow(/tailShare is 1/);
  });
});
