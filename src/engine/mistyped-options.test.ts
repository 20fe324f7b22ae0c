import { expect, test } from "vitest";
import { SMALL, untyped } from "../../test/support/sessions.ts";
import { ledgerCondenser } from "./condense/ledger-condenser.ts";
import { modelCondenser } from "./condense/model-condenser.ts";
import { createEngine } from "./create-engine.ts";

const handler = { createMessage: () => [], getModel: () => ({ id: "claude-haiku-4-5" }) };
const session = await createEngine(SMALL).session("harbour-light");

// People pass the one value that they mean.
test.each<[string, (session: ReturnType<typeof untyped>) => unknown, string]>([
  ["rewind", (session) => session.rewind("u3"), 'options is "u3"; it must be an object, such as { toMessage: "u3" }.'],
  ["useModel", (session) => session.useModel("gpt-5"), 'it must be an object, such as { model: "claude-haiku-4-5" }.'],
  ["usePrompt", (session) => session.usePrompt("Be brief."), "it must be an object, such as { systemPrompt:"],
  ["condense", (session) => session.condense("now"), "it must be an object, such as { prompt:"],
])("session.%s shows the object that it takes", async (_, use, problem) => {
  await expect(async () => use(untyped(session))).rejects.toThrow(problem);
});

// Ignored in silence, each of them would leave the default in force.
test.each<[string, () => unknown, string]>([
  ["session.prepare", () => session.prepare(untyped({ targetshare: 0.5 })), "options.targetshare is not an option. "],
  ["session.recall", () => session.recall("lamp", untyped({ budget: 100 })), "The options are budgetTokens."],
  ["ledgerCondenser", () => ledgerCondenser(untyped({ targetshare: 0.5 })), "options.targetshare is not an option. "],
  ["modelCondenser", () => modelCondenser(untyped(handler), untyped({ strat: "summary" })), "options.strat is not an"],
])("%s refuses a mistyped option", async (_, use, problem) => {
  await expect(async () => use()).rejects.toThrow(problem);
});
