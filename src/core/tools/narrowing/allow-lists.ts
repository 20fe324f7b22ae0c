import { assert, assertArray, assertObject } from "../../assert.ts";

/** What production may be asked to do. Immutable: narrowed tools are kept by list object. */
export interface AllowLists {
  /** For every path parameter of every tool. @default none */
  readonly paths?: readonly string[];
  /** For every command parameter of every tool, each a whole command. @default none */
  readonly commands?: readonly string[];
  /** By tool, then by parameter at any depth, whatever it is about; wins over the other two. @default none */
  readonly parameters?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

const checked = new WeakSet<object>();

/** Refuses lists of anything but texts. */
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
