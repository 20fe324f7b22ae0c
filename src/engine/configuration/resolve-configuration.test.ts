import { runInNewContext } from "node:vm";
import { describe, expect, expectTypeOf, test } from "vitest";
import { unmetFaults } from "../../../test/support/faults.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { effectiveThreshold } from "../../core/policy/condense-threshold.ts";
import { type Configuration, DEFAULT_CONFIGURATION } from "./configuration.ts";
import { resolveConfiguration } from "./resolve-configuration.ts";

/** Configurations come from files and from JavaScript: anything can be in one. */
function resolveAnything(input: unknown): unknown {
  return Reflect.apply(resolveConfiguration, undefined, [input]);
}

function refusal(input: unknown): string {
  try {
    resolveAnything(input);
  } catch (error) {
    if (error instanceof PalimpsestError) return error.message;
    throw error;
  }
  return "not refused";
}

describe("a resolved configuration", () => {
  test("has every default where nothing is given", () => {
    expect(resolveConfiguration()).toEqual({
      thresholds: { global: undefined, profiles: {}, adaptive: undefined, economy: "balanced" },
      strategies: {
        primary: "hybrid",
        fallback: "truncation",
        customPrompts: {},
        background: false,
        maxModelCalls: 4,
        timeoutMs: 120_000,
        keepMessages: undefined,
        clear: { excludeTools: [], placeholder: undefined },
      },
      validation: { enabled: true, rules: { minSavingPercent: 20, minFactSurvival: undefined }, metrics: true },
      monitoring: { telemetry: true, logging: false, hooks: true, budgetNotice: false },
    });
  });

  test("takes every setting that is given", () => {
    const input: Configuration = {
      thresholds: { global: 60, profiles: { fast: 40 }, adaptive: true, economy: 12_000 },
      strategies: {
        primary: "llm",
        fallback: "error",
        customPrompts: { summary: "Be brief." },
        background: true,
        maxModelCalls: 0,
        timeoutMs: 1,
        keepMessages: 0,
        clear: { excludeTools: ["read_file"], placeholder: "an old result" },
      },
      validation: { enabled: false, rules: { minSavingPercent: 0, minFactSurvival: 0 }, metrics: false },
      monitoring: { telemetry: false, logging: true, hooks: false, budgetNotice: true },
    };
    expect(resolveConfiguration(input)).toEqual(input);
  });

  test("keeps the settings of its base, and adds to its tables by name", () => {
    const base = resolveConfiguration({
      thresholds: { global: 60, profiles: { fast: 40, slow: 90 } },
      strategies: { customPrompts: { summary: "Be brief." } },
      validation: { rules: { minSavingPercent: 30 } },
    });
    const next = resolveConfiguration(
      { thresholds: { profiles: { fast: -1 } }, validation: { rules: { minFactSurvival: 0.5 } } },
      base,
    );
    const profiles = { fast: -1, slow: 90 };
    expect(next.thresholds).toEqual({ global: 60, profiles, adaptive: undefined, economy: "balanced" });
    expect(next.strategies).toEqual(base.strategies);
    expect(next.validation.rules).toEqual({ minSavingPercent: 30, minFactSurvival: 0.5 });
  });

  test("reads undefined as absent, at any depth", () => {
    const base = resolveConfiguration({ thresholds: { global: 60 } });
    const input = { thresholds: { global: undefined, adaptive: true }, strategies: undefined, validation: {} };
    expect(resolveConfiguration(input, base)).toEqual({ ...base, thresholds: { ...base.thresholds, adaptive: true } });
  });

  test("fills a base that lacks settings with the defaults", () => {
    const base: unknown = { thresholds: { global: 60 } };
    const resolved: unknown = Reflect.apply(resolveConfiguration, undefined, [{}, base]);
    expect(resolved).toEqual(resolveConfiguration({ thresholds: { global: 60 } }));
  });

  test("is frozen all through and shares nothing with what was given", () => {
    const input = { thresholds: { profiles: { fast: 40 } } };
    const resolved = resolveConfiguration(input);
    input.thresholds.profiles.fast = 99;
    expect(resolved.thresholds.profiles).toEqual({ fast: 40 });
    for (const part of [resolved, resolved.thresholds, resolved.thresholds.profiles, resolved.validation.rules]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen(input.thresholds.profiles)).toBe(false);
    expect(Object.isFrozen(DEFAULT_CONFIGURATION.strategies.customPrompts)).toBe(true);
  });

  test("is made from frozen input, and from objects without a prototype or of another realm", () => {
    const bare: unknown = Object.assign(Object.create(null), { thresholds: { global: 60 } });
    const foreign: unknown = runInNewContext("({ thresholds: { global: 60 } })");
    for (const input of [deepFreeze({ thresholds: { global: 60 } }), bare, foreign]) {
      expect(resolveAnything(input)).toEqual(resolveConfiguration({ thresholds: { global: 60 } }));
    }
  });

  test.each([0, 4.9, 101, -2, Number.POSITIVE_INFINITY])(
    "keeps a profile's %d, which is warned about at use",
    (own) => {
      const { thresholds } = resolveConfiguration({ thresholds: { profiles: { fast: own } } });
      const settings = {
        autoCondenseContextPercent: 75,
        profileThresholds: thresholds.profiles,
        currentProfileId: "fast",
      };
      expect(effectiveThreshold(settings)).toMatchObject({
        percent: 75,
        warning: expect.stringContaining(String(own)),
      });
    },
  );

  test("does not compile with a value of the wrong kind", () => {
    expectTypeOf<{ strategies: { primary: "magic" } }>().not.toExtend<Configuration>();
    expectTypeOf<{ thresholds: { profiles: { fast: string } } }>().not.toExtend<Configuration>();
    expectTypeOf<{ thresholds: { profiles: { fast: number } } }>().toExtend<Configuration>();
  });
});

describe("a faulty configuration", () => {
  test("is refused with the path, the value and what is allowed", () => {
    expect(refusal({ thresholds: { global: 500 } })).toBe(
      "configuration.thresholds.global is 500; it must be a number from 5 to 100.",
    );
    expect(refusal({ strategies: { primary: "magic" } })).toBe(
      'configuration.strategies.primary is "magic"; it must be "llm", "truncation" or "hybrid".',
    );
    expect(refusal({ thresholds: { profiles: { "my profile": "50" } } })).toBe(
      'configuration.thresholds.profiles["my profile"] is "50"; it must be a number.',
    );
  });

  test("is refused once, with a line for every fault", () => {
    const input = {
      thresholds: { global: 500, profiles: { fast: null, slow: 40 }, adaptve: true },
      strategies: [],
      validation: { enabled: "yes", rules: { minSavingPercent: 101 } },
    };
    expect(refusal(input).split("\n")).toEqual([
      "configuration.thresholds.adaptve is not a setting; the nearest is thresholds.adaptive.",
      "configuration.thresholds.global is 500; it must be a number from 5 to 100.",
      "configuration.thresholds.profiles.fast is null; it must be a number.",
      "configuration.strategies is an array; it must be a plain object.",
      'configuration.validation.enabled is "yes"; it must be true or false.',
      "configuration.validation.rules.minSavingPercent is 101; it must be a number from 0 to 100.",
    ]);
  });

  test("is named as base where the base is faulty", () => {
    const resolve = () => Reflect.apply(resolveConfiguration, undefined, [{}, { thresholds: { global: 1 } }]);
    expect(resolve).toThrow("base.thresholds.global is 1; it must be a number from 5 to 100.");
  });

  test.each([
    [{ threshold: {} }, "configuration.threshold is not a setting; the nearest is thresholds."],
    [
      { thresholds: { Global: 50 } },
      "configuration.thresholds.Global is not a setting; the nearest is thresholds.global.",
    ],
    [{ adaptive: true }, "configuration.adaptive is not a setting; the nearest is thresholds.adaptive."],
    [{ validation: { minSavingPercent: 5 } }, "validation.rules.minSavingPercent."],
    [{ strategies: { hooks: true } }, "the nearest is monitoring.hooks."],
    [{ monitoring: { x: true } }, "the nearest is monitoring.hooks."],
    [{ strategies: { "*": true } }, 'configuration.strategies["*"] is not a setting'],
  ])("with the unknown key of %o is told the nearest one", (input, expected) => {
    expect(refusal(input)).toContain(expected);
  });

  test("is refused whatever it is", () => {
    const unmet = unmetFaults(resolveAnything, [
      [null, /^PalimpsestError: configuration is null; it must be a plain object\.$/],
      [5, /configuration is 5/],
      ["thresholds", /configuration is "thresholds"/],
      [[], /configuration is an array/],
      [() => ({}), /configuration is a function/],
      [new Date(0), /must be a plain object/],
      [{ thresholds: null }, /thresholds is null/],
      [{ thresholds: { global: Number.NaN } }, /thresholds\.global is NaN/],
      [{ thresholds: { global: 50n } }, /thresholds\.global is 50/],
      [{ thresholds: { global: new Number(50) } }, /thresholds\.global is an object/],
      [{ thresholds: { profiles: new Map([["fast", 50]]) } }, /profiles is an object; it must be a plain object/],
      [{ thresholds: { profiles: { fast: Number.NaN } } }, /profiles\.fast is NaN/],
      [{ thresholds: { profiles: { fast: undefined } } }, /profiles\.fast is undefined/],
      [{ strategies: { customPrompts: { summary: 5 } } }, /customPrompts\.summary is 5/],
      [{ strategies: { maxModelCalls: 1.5 } }, /maxModelCalls is 1\.5; it must be a whole number of at least 0/],
      [{ strategies: { maxModelCalls: -1 } }, /maxModelCalls is -1/],
      [{ strategies: { timeoutMs: 2 ** 31 } }, /timeoutMs is 2147483648; it must be a number from 1 to 2147483647/],
      [{ strategies: { timeoutMs: 0 } }, /timeoutMs is 0/],
      [{ strategies: { keepMessages: "3" } }, /keepMessages is "3"/],
      [{ validation: { rules: { minFactSurvival: 2 } } }, /minFactSurvival is 2; it must be a number from 0 to 1/],
      [{ monitoring: { hooks: 1 } }, /monitoring\.hooks is 1; it must be true or false/],
      [Object.create({ thresholds: { global: 50 } }), /must be a plain object/],
    ]);
    expect(unmet).toEqual([]);
  });

  test("with a key of a million letters is refused in a short line", () => {
    const message = refusal({ ["global".repeat(200_000)]: 5 });
    expect(message).toMatch(/^configuration\["globalglobal.*…"\] is not a setting/);
    expect(message.length).toBeLessThan(150);
  });
});

describe("the key __proto__", () => {
  test("of a file is an unknown key like others, and changes no prototype", () => {
    expect(refusal(JSON.parse('{ "__proto__": { "thresholds": { "global": 50 } } }'))).toContain(
      'configuration["__proto__"] is not a setting',
    );
    expect(refusal(JSON.parse('{ "thresholds": { "__proto__": { "adaptive": true } } }'))).toContain(
      'configuration.thresholds["__proto__"] is not a setting',
    );
    expect(Reflect.get({}, "adaptive")).toBeUndefined();
  });

  test("names a profile like any other", () => {
    const { thresholds } = resolveConfiguration(JSON.parse('{ "thresholds": { "profiles": { "__proto__": 50 } } }'));
    expect(Object.getPrototypeOf(thresholds.profiles)).toBe(Object.prototype);
    expect(
      effectiveThreshold({
        autoCondenseContextPercent: 75,
        profileThresholds: thresholds.profiles,
        currentProfileId: "__proto__",
      }),
    ).toEqual({ percent: 50 });
  });

  test("brings in nothing that was not checked", () => {
    const sneaky: unknown = Object.create(Object.assign(Object.create(null), { thresholds: { global: 500 } }));
    expect(refusal(sneaky)).toContain("configuration.thresholds.global is 500");
  });
});
