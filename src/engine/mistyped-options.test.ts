import { expect, test } from "vitest";
import { SMALL, untyped } from "../../test/support/sessions.ts";
import { ledgerCondenser } from "./condense/ledger-condenser.ts";
import { modelCondenser } from "./condense/model-condenser.ts";
import { createEngine } from "./create-engine.ts";

const handler = { createMessage: () => [], getModel: () => ({ id: "claude-haiku-4-5" }) };
const session = await createEngine(SMALL).session("harbour-light");

// Ignored in silence, each of them would leave the default in force.
test.each<[string, () => unknown, string]>([
  ["session.prepare", () => session.prepare(untyped({ targetshare: 0.5 })), "options.targetshare is not an option. "],
  ["session.recall", () => session.recall("lamp", untyped({ budget: 100 })), "The options are budgetTokens."],
  ["ledgerCondenser", () => ledgerCondenser(untyped({ targetshare: 0.5 })), "options.targetshare is not an option. "],
  ["modelCondenser", () => modelCondenser(untyped(handler), untyped({ strat: "summary" })), "options.strat is not an"],
])("%s refuses a mistyped option", async (_, use, problem) => {
  await expect(async () => use()).rejects.toThrow(problem);
});
