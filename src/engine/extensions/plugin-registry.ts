import { assert, assertArray, assertFunction, assertNumber, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { CondensationContext, CondensationPlugin } from "../../core/ports/condensation.ts";
import { assertName, assertOptionalMethods } from "./assert-members.ts";
import { assertAtOnce, attempt } from "./attempt.ts";
import type { OnFault } from "./fault.ts";

/** The condensers that an engine may use. */
export interface PluginRegistry {
  /** Throws "invalid-argument" for an invalid plugin, and where one of that name is registered. */
  register(plugin: CondensationPlugin): void;
  /** Removes the plugin of that name; false where there is none. */
  unregister(name: string): boolean;
  /** The plugin of the highest priority that activates; among equals, the one that was registered first. Undefined where none does. */
  findBestPlugin(context: CondensationContext): CondensationPlugin | undefined;
  /** The plugins that activate, best first. */
  activePlugins(context: CondensationContext): readonly CondensationPlugin[];
  /** All plugins, best first. */
  list(): readonly CondensationPlugin[];
}

export interface PluginRegistryOptions {
  /** Called where a `shouldActivate` throws or returns no boolean. @default nothing is called */
  readonly onFault?: OnFault;
}

/**
 * Creates a registry with these condensers. @default plugins none
 * @example
 * ```ts
 * import { ledgerCondenser } from "palimpsest";
 * import { createPluginRegistry } from "palimpsest/compat";
 * const registry = createPluginRegistry([ledgerCondenser()]);
 * console.log(registry.list().map(({ name }) => name), registry.unregister("ledger")); // [ 'ledger' ] true
 * ```
 */
export function createPluginRegistry(
  plugins: readonly CondensationPlugin[] = [],
  { onFault = () => {} }: PluginRegistryOptions = {},
): PluginRegistry {
  assertArray("plugins", plugins);
  let registered: readonly CondensationPlugin[] = [];

  function register(plugin: CondensationPlugin): void {
    assertPlugin(plugin);
    if (registered.some(({ name }) => name === plugin.name)) {
      throw new PalimpsestError(
        "invalid-argument",
        `A plugin named ${JSON.stringify(plugin.name)} is registered already. Unregister it first, or rename this one.`,
      );
    }
    // The sort is stable: among equals, the one that was registered first stays first.
    registered = [...registered, plugin].sort((a, b) => b.priority - a.priority);
  }

  function isActive(plugin: CondensationPlugin, context: CondensationContext): boolean {
    const answer = attempt(() => readFlag(plugin.shouldActivate(context)), {
      plugin: plugin.name,
      method: "shouldActivate",
      onFault,
    });
    return answer === true;
  }

  plugins.forEach(register);
  return {
    register,
    unregister(name) {
      const rest = registered.filter((plugin) => plugin.name !== name);
      const wasThere = rest.length < registered.length;
      registered = rest;
      return wasThere;
    },
    findBestPlugin: (context) => registered.find((plugin) => isActive(plugin, context)),
    activePlugins: (context) => registered.filter((plugin) => isActive(plugin, context)),
    list: () => [...registered],
  };
}

function assertPlugin(plugin: CondensationPlugin): void {
  assertObject("plugin", plugin);
  assertName("plugin.name", plugin.name);
  assertNumber("plugin.priority", plugin.priority);
  assertFunction("plugin.shouldActivate", plugin.shouldActivate);
  assertFunction("plugin.condense", plugin.condense);
  assertOptionalMethods("plugin", plugin, ["validate", "condenseAhead"]);
}

function readFlag(answer: unknown): boolean {
  assertAtOnce(answer);
  assert(typeof answer === "boolean", "its answer", answer, "true or false");
  return answer;
}
