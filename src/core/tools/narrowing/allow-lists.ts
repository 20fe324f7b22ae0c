import { assert, assertArray, assertObject } from "../../assert.ts";

/** The values that tool parameters may have in production. Must not be mutated: narrowed tools are cached by this object. */
export interface AllowLists {
  /** The paths for every path parameter of every tool. @default none */
  readonly paths?: readonly string[];
  /** The commands for every command parameter of every tool, each a whole command. @default none */
  readonly commands?: readonly string[];
  /** The values of any parameter at any depth, by tool and parameter name; takes precedence over the other two. @default none */
  readonly parameters?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

const checked = new WeakSet<object>();

/** Throws "invalid-argument" unless all lists are lists of strings. */
export function assertAllowLists(lists: AllowLists): void {
  assertObject("options.allowLists", lists);
  if (checked.has(lists)) return;
  const { paths = [], commands = [], parameters = {} } = lists;
  assertTexts("options.allowLists.paths", paths);
  assertTexts("options.allowLists.commands", commands);
  assertObject("options.allowLists.parameters", parameters);
  for (const [tool, own] of Object.entries(parameters)) {
    assertObject(`options.allowLists.parameters.${tool}`, own);
    for (const [name, list] of Object.entries(own)) assertTexts(`options.allowLists.parameters.${tool}.${name}`, list);
  }
  checked.add(lists);
}

function assertTexts(where: string, list: readonly string[]): void {
  assertArray(where, list);
  for (const value of list) assert(typeof value === "string", where, value, "a list of texts");
}
