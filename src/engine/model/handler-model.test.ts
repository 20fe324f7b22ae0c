import { describe, expect, test } from "vitest";
import { good, handler, unchecked } from "../../../test/support/handlers.ts";
import { findModel } from "../../core/models/registry.ts";
import type { HandlerModel } from "../../core/ports/model-handler.ts";
import { assertHandler, handlerModel, isHandler } from "./handler-model.ts";

const knownAs = (model: unknown) => handlerModel({ ...handler(good), getModel: () => unchecked<HandlerModel>(model) });

describe("what is known of a model", () => {
  test("is what the handler says", () => {
    expect(knownAs({ id: "gpt-4o", info: { contextWindow: 9_000, maxTokens: 700 } })).toMatchObject({
      id: "gpt-4o",
      contextWindow: 9_000,
      outputLimitTokens: 700,
    });
  });

  test("is else what the registry says", () => {
    const { contextWindow, inputLimitTokens, outputLimitTokens } = findModel("gpt-5");
    expect(inputLimitTokens).toBeLessThan(contextWindow);
    expect(knownAs({ id: "gpt-5" })).toMatchObject({ contextWindow, inputLimitTokens, outputLimitTokens });
    expect(knownAs({ id: "claude-opus-4-7" })).toMatchObject({ tokenRatio: 1.6 });
  });

  test.each([
    [undefined],
    [null],
    [5],
    [{}],
    [{ id: 5, info: null }],
    [{ id: "", info: { contextWindow: Number.NaN, maxTokens: -1 } }],
    [{ id: "", info: { contextWindow: "200000", maxTokens: 0 } }],
  ])("is that of an unknown model for %j", (model) => {
    const { contextWindow, outputLimitTokens } = findModel("");
    expect(knownAs(model)).toEqual({
      id: "",
      contextWindow,
      inputLimitTokens: Number.POSITIVE_INFINITY,
      outputLimitTokens,
      tokenRatio: 1,
    });
  });
});

test("a description that breaks when it is read is as good as none", () => {
  const trap = {
    get id() {
      throw new Error("trap");
    },
  };
  expect(knownAs(trap)).toMatchObject({ id: "", tokenRatio: 1 });
});

describe("a handler", () => {
  test("is what can be asked", () => {
    expect(isHandler(handler(good))).toBe(true);
    for (const value of [undefined, null, {}, "gpt-4o", { createMessage: "later" }, () => good]) {
      expect(isHandler(value)).toBe(false);
    }
  });

  test("is demanded with the name of what is missing", () => {
    expect(() => assertHandler("apiHandler", undefined)).toThrow(/apiHandler is undefined/);
    expect(() => assertHandler("apiHandler", {})).toThrow(/apiHandler\.createMessage is undefined/);
    expect(() => assertHandler("apiHandler", { createMessage: good })).toThrow(/apiHandler\.getModel is undefined/);
    expect(() => assertHandler("apiHandler", handler(good))).not.toThrow();
  });
});
