import { describe, expect, test } from "vitest";
import { unmetFaults } from "../../../test/support/faults.ts";
import type { CondensationContext, CondensationPlugin } from "../../core/ports/condensation.ts";
import type { PluginFault } from "./fault.ts";
import { createPluginRegistry } from "./plugin-registry.ts";

const context: CondensationContext = {
  taskId: "task",
  messages: [],
  modelId: "model",
  profileId: "default",
  trigger: "auto",
  contextWindow: 100_000,
  prevContextTokens: 80_000,
  allowedTokens: 82_000,
  usedPercent: 80,
};

function plugin(name: string, priority: number, shouldActivate: CondensationPlugin["shouldActivate"] = () => true) {
  const condense: CondensationPlugin["condense"] = async (messages) => ({ messages, summary: "", cost: 0 });
  return { name, priority, shouldActivate, condense };
}

/** A plugin whose `shouldActivate` comes from JavaScript: it may answer anything. */
function odd(name: string, shouldActivate: () => unknown): CondensationPlugin {
  return Object.assign(plugin(name, 9), { shouldActivate });
}

function names(plugins: readonly CondensationPlugin[]): readonly string[] {
  return plugins.map(({ name }) => name);
}

describe("of several plugins", () => {
  test("the one of the highest priority that activates is the best", () => {
    const registry = createPluginRegistry([plugin("low", -1), plugin("idle", 10, () => false), plugin("high", 5)]);
    expect(registry.findBestPlugin(context)?.name).toBe("high");
    expect(names(registry.activePlugins(context))).toEqual(["high", "low"]);
    expect(names(registry.list())).toEqual(["idle", "high", "low"]);
  });

  test("of equal priority the one registered first is the best", () => {
    const registry = createPluginRegistry([plugin("first", 1), plugin("second", 1)]);
    registry.register(plugin("third", 1));
    expect(names(registry.activePlugins(context))).toEqual(["first", "second", "third"]);
  });

  test("none is the best where none activates, or none is there", () => {
    expect(createPluginRegistry([plugin("idle", 1, () => false)]).findBestPlugin(context)).toBeUndefined();
    expect(createPluginRegistry().findBestPlugin(context)).toBeUndefined();
  });

  test("each is asked about the very context, as a method of its own", () => {
    class OverHalf {
      readonly name = "over-half";
      readonly priority = 1;
      readonly limit = 50;
      shouldActivate({ usedPercent }: CondensationContext): boolean {
        return usedPercent > this.limit;
      }
      condense = plugin("", 0).condense;
    }
    const registry = createPluginRegistry([new OverHalf()]);
    expect(registry.findBestPlugin(context)?.name).toBe("over-half");
    expect(registry.findBestPlugin({ ...context, usedPercent: 40 })).toBeUndefined();
  });
});

describe("registering", () => {
  test("refuses a second plugin of the same name until the first one is gone", () => {
    const registry = createPluginRegistry([plugin("summary", 1)]);
    expect(() => registry.register(plugin("summary", 2))).toThrow(
      'A plugin named "summary" is registered already. Unregister it first, or rename this one.',
    );
    expect(registry.list()[0]?.priority).toBe(1);
    expect(registry.unregister("summary")).toBe(true);
    registry.register(plugin("summary", 2));
    expect(registry.list()[0]?.priority).toBe(2);
  });

  test("says whether there was something to unregister", () => {
    const registry = createPluginRegistry([plugin("summary", 1)]);
    expect(registry.unregister("other")).toBe(false);
    expect(registry.unregister("summary")).toBe(true);
    expect(registry.unregister("summary")).toBe(false);
  });

  test("is not affected by changes to the lists that were given or returned", () => {
    const given = [plugin("summary", 1)];
    const registry = createPluginRegistry(given);
    given.pop();
    const listed = registry.list();
    if (Array.isArray(listed)) listed.pop();
    expect(names(registry.list())).toEqual(["summary"]);
  });

  test("refuses what is no plugin, naming the field", () => {
    const fine = plugin("fine", 1);
    const register = (input: unknown) => Reflect.apply(createPluginRegistry, undefined, [[input]]);
    const unmet = unmetFaults(register, [
      [null, /plugin is null; it must be an object/],
      [undefined, /plugin is undefined/],
      [{}, /plugin\.name is undefined/],
      [{ ...fine, name: " " }, /plugin\.name is " "; it must be a string that is not blank/],
      [{ ...fine, priority: Number.NaN }, /plugin\.priority is NaN; it must be a finite number/],
      [{ ...fine, priority: Number.POSITIVE_INFINITY }, /plugin\.priority is Infinity/],
      [{ ...fine, priority: "9" }, /plugin\.priority is "9"/],
      [{ ...fine, shouldActivate: true }, /plugin\.shouldActivate is true; it must be a function/],
      [{ ...fine, condense: undefined }, /plugin\.condense is undefined; it must be a function/],
      [{ ...fine, validate: "strict" }, /plugin\.validate is "strict"; it must be a function/],
      [fine, "answers"],
    ]);
    expect(unmet).toEqual([]);
    expect(() => Reflect.apply(createPluginRegistry, undefined, [5])).toThrow("plugins is 5; it must be an array.");
  });
});

describe("a plugin that cannot say whether it activates", () => {
  function findBeside(bad: CondensationPlugin) {
    const faults: PluginFault[] = [];
    const registry = createPluginRegistry([plugin("sound", 1), bad], { onFault: (fault) => faults.push(fault) });
    return { best: registry.findBestPlugin(context)?.name, faults };
  }

  test("as it throws, is passed over and reported", () => {
    const bad = odd("bad", () => {
      throw new Error("no such model");
    });
    expect(findBeside(bad)).toEqual({
      best: "sound",
      faults: [{ plugin: "bad", error: "shouldActivate: no such model" }],
    });
  });

  test.each([
    [1, "its answer is 1; it must be true or false."],
    ["yes", 'its answer is "yes"; it must be true or false.'],
    [undefined, "its answer is undefined; it must be true or false."],
    [Promise.resolve(true), "its answer is a promise; it must answer at once"],
  ])("as it answers %o, is passed over and reported", (answer, error) => {
    expect(findBeside(odd("bad", () => answer))).toEqual({
      best: "sound",
      faults: [{ plugin: "bad", error: `shouldActivate: ${error}` }],
    });
  });

  test("as its promise is rejected, leaves no rejection unhandled", async () => {
    const bad = odd("bad", async () => {
      throw new Error("too late");
    });
    expect(findBeside(bad).best).toBe("sound");
    // an unhandled rejection would fail the run
    await new Promise((resolve) => setImmediate(resolve));
  });

  test.each([
    ["nothing", undefined, "undefined"],
    ["an error without words", new TypeError(), "TypeError"],
    ["a very long error", new Error("x".repeat(100_000)), "x".repeat(500)],
  ])("is reported in a few words when it throws %s", (_, thrown, words) => {
    const bad = odd("bad", () => {
      throw thrown;
    });
    expect(findBeside(bad).faults).toEqual([{ plugin: "bad", error: `shouldActivate: ${words}` }]);
  });

  test("is reported when it throws what breaks as soon as it is looked at", () => {
    const bad = odd("bad", () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      throw proxy;
    });
    expect(findBeside(bad)).toEqual({
      best: "sound",
      faults: [{ plugin: "bad", error: "shouldActivate: threw something that cannot be read" }],
    });
  });
});
