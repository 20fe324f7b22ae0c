import { demand, demandArray, demandObject } from "../../demand.ts";

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
export function demandAllowLists(lists: AllowLists): void {
  demandObject("options.allowLists", lists);
  if (checked.has(lists)) return;
  const { paths = [], commands = [], parameters = {} } = lists;
  demandTexts("options.allowLists.paths", paths);
  demandTexts("options.allowLists.commands", commands);
  demandObject("options.allowLists.parameters", parameters);
  for (const [tool, own] of Object.entries(parameters)) {
    demandObject(`options.allowLists.parameters.${tool}`, own);
    for (const [name, list] of Object.entries(own)) demandTexts(`options.allowLists.parameters.${tool}.${name}`, list);
  }
  checked.add(lists);
}

function demandTexts(where: string, list: readonly string[]): void {
  demandArray(where, list);
  for (const value of list) demand(typeof value === "string", where, value, "a list of texts");
}
