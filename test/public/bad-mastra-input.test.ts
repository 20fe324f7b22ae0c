/** The integration with Mastra, against what it was not made for: it refuses and names the fault. */
import { expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestProcessor } from "../../src/integrations/mastra/index.ts";
import { each, eachField, type Fault, unmetFaults, unmetPromises } from "../support/faults.ts";

const engine = createEngine({ model: "claude-haiku-4-5" });
const make = (input: unknown): unknown => Reflect.apply(palimpsestProcessor, undefined, [input]);

test("palimpsestProcessor refuses what names no session", async () => {
  const session = await engine.session("a");
  const faults: readonly Fault[] = [
    ...each([null, undefined, 5], /options is/),
    ...each([{}, { sessionId: "s" }, { engine, session }], /options is .* must be \{ engine \} or \{ session \}/),
    ...each([{ session: {} }, { session: 5 }, { session: null }], /options\.session/),
    ...each([{ engine: {} }, { engine: 5 }, { engine: null }], /options\.engine/),
    [{ session, sessionId: "b" }, /options\.sessionId/],
    ...eachField({ sessionId: [null, "", 5], onReport: [null, 5], onError: [null, "log"] }, { engine }),
  ];
  expect(unmetFaults(make, faults).join("\n")).toBe("");
});

test("palimpsestProcessor sends as it is what is no prompt", async () => {
  const errors: unknown[] = [];
  const processor = palimpsestProcessor({ engine, sessionId: "b", onError: (error) => errors.push(error) });
  const prompts = [[5], [{ role: "robot" }], 5];
  const request = (prompt: unknown) => Reflect.apply(processor.processLLMRequest, processor, [{ prompt, state: {} }]);
  expect((await unmetPromises(request, each(prompts, "answers"))).join("\n")).toBe("");
  expect(errors).toHaveLength(prompts.length);
});
