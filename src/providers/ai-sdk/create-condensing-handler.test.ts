import { expect, test } from "vitest";
import { CONDENSE_DEFAULTS } from "../../core/models/condense-defaults.ts";
import { createCondensingHandler } from "./create-condensing-handler.ts";

const idFor = (model: string) => createCondensingHandler({ model, apiKey: "any" }).getModel().id;

test("a sonnet's conversations are condensed by a haiku of the same provider", () => {
  expect(idFor("anthropic/claude-sonnet-4-5")).toBe(CONDENSE_DEFAULTS.sonnet.condenseWith.modelId);
  expect(idFor("anthropic/claude-sonnet-4-5")).toMatch(/haiku/);
});

test("those of a gpt-4-turbo by a small model of its family", () => {
  expect(idFor("openai/gpt-4-turbo")).toBe("gpt-4o-mini");
});

test.each([
  "anthropic/claude-opus-4-5",
  "anthropic/claude-haiku-4-5",
  "openai/gpt-3.5-turbo",
  "deepseek/deepseek-chat",
])("%s condenses its own", (model) => {
  expect(idFor(model)).toBe(model.split("/")[1]);
});

test("what is no model is refused as by createModelHandler", () => {
  expect(() => createCondensingHandler("sonnet")).toThrow(/provider/);
  expect(() => createCondensingHandler({ model: "anthropic/claude-sonnet-4-5", environment: {} })).toThrow(
    /ANTHROPIC_API_KEY/,
  );
});
