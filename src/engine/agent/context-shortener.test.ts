import { describe, expect, test } from "vitest";
import { FAILING, handler, replies } from "../../../test/support/handlers.ts";
import { ContextBuilder } from "../../core/layers/context/context-builder.ts";
import { createInitialState } from "../../core/layers/state/initial-state.ts";
import { writeScratchpad } from "../../core/layers/updates/work-buffer.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { createContextShortener } from "./context-shortener.ts";

const NOTES = Array.from({ length: 400 }, (_, index) => `Note ${index}: the lamp at pier ${index} blinks twice.`).join(
  "\n",
);
const state = writeScratchpad(createInitialState("Mend the harbour light."), NOTES);

function builderWith(shortener: ReturnType<typeof createContextShortener>) {
  return new ContextBuilder({ totalTokens: 2_000, now: () => 0, shorten: shortener?.shorten });
}

describe("a text that has no room in the context", () => {
  test("is shortened by the model, once, and the context still fits", async () => {
    const model = handler(replies("All 400 lamps blink twice."));
    const shortener = createContextShortener(model);
    const builder = builderWith(shortener);
    expect(builder.build(state).context).not.toContain("All 400 lamps");
    expect(await shortener?.write(undefined)).toEqual({ isNew: true, costUsd: 0.01 });
    const { context, metadata } = builder.build(state);
    expect(context).toContain("All 400 lamps blink twice.");
    expect(metadata.totalTokens).toBe(countTextTokens(context));
    expect(metadata.totalTokens).toBeLessThanOrEqual(1_800);
    expect((await shortener?.write(undefined))?.isNew).toBe(false);
    expect(model.asked).toHaveLength(1);
    expect(JSON.stringify(model.asked[0]?.messages)).toContain("Note 399");
  });

  test("is quoted by its lines where the model fails, and where its text is too long as well", async () => {
    for (const behaviour of [FAILING.throws, replies(NOTES)]) {
      const shortener = createContextShortener(handler(behaviour));
      const builder = builderWith(shortener);
      const quoted = builder.build(state).context;
      await shortener?.write(undefined);
      expect(builder.build(state).context).toBe(quoted);
      expect(quoted).toContain("blinks twice.");
    }
  });

  test("is never asked for where no model is configured", () => {
    expect(createContextShortener(undefined)).toBeUndefined();
  });
});
