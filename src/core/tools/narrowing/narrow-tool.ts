import { describeValue } from "../../assert.ts";
import { type GuardedKind, type JsonSchema, type SentTool, sentTool, type ToolDefinition } from "../tool-definition.ts";
import type { AllowLists } from "./allow-lists.ts";
import { findFarReference } from "./far-reference.ts";
import { guardedKind } from "./guarded-kind.ts";
import { holdToList } from "./hold-to-list.ts";
import { parameterForm } from "./parameter-form.ts";
import { type FoundParameter, rewriteParameters } from "./rewrite-parameters.ts";

/** A parameter that became a choice. */
export interface NarrowedParameter {
  /** `path`, `edits[].file`, `$defs.Edit.file` … */
  readonly place: string;
  readonly kind: GuardedKind | "listed";
  readonly allowed: readonly string[];
}

export type Narrowing =
  | { readonly type: "unchanged"; readonly tool: SentTool }
  | { readonly type: "narrowed"; readonly tool: SentTool; readonly parameters: readonly NarrowedParameter[] }
  | { readonly type: "impossible"; readonly reason: string };

const narrowings = new WeakMap<AllowLists, WeakMap<ToolDefinition, Narrowing>>();

/**
 * A tool as production may see it: every parameter that is a path or a command, at any depth, becomes a choice from its
 * allow-list, and the object around it takes no other parameters than those it names. Impossible where a list is
 * missing, or a parameter takes more than texts. The same object each time for the same lists.
 */
export function narrowTool(tool: ToolDefinition, lists: AllowLists): Narrowing {
  let known = narrowings.get(lists);
  if (known === undefined) {
    known = new WeakMap();
    narrowings.set(lists, known);
  }
  const narrowing = known.get(tool) ?? narrow(tool, lists);
  known.set(tool, narrowing);
  return narrowing;
}

function narrow(tool: ToolDefinition, lists: AllowLists): Narrowing {
  const reference = findFarReference(tool.inputSchema);
  if (reference !== undefined) {
    return { type: "impossible", reason: `its schema refers to ${describeValue(reference)}, out of reach` };
  }
  const held: NarrowedParameter[] = [];
  const problems: string[] = [];
  const own = listsOf(tool, lists);
  const named = new Set<string>();
  const inputSchema = rewriteParameters(tool.inputSchema, (parameter) => {
    named.add(parameter.name);
    const outcome = narrowParameter({ tool, lists, own }, parameter);
    if (outcome === undefined) return undefined;
    if (outcome.type === "impossible") {
      problems.push(`its parameter ${parameter.place} ${outcome.reason}`);
      return undefined;
    }
    held.push(outcome.narrowed);
    return outcome.schema;
  });
  // a misspelt name must not leave the parameter that was meant wide open
  const unknown = Object.keys(own).find((name) => !named.has(name));
  if (unknown !== undefined) problems.push(`its allow-list names ${unknown}, which is none of its parameters`);
  const [problem] = problems;
  if (problem !== undefined) return { type: "impossible", reason: problem };
  if (held.length === 0) return { type: "unchanged", tool: sentTool(tool) };
  return { type: "narrowed", tool: { ...sentTool(tool), inputSchema }, parameters: held };
}

interface Rules {
  readonly tool: ToolDefinition;
  readonly lists: AllowLists;
  /** The lists for this tool alone. */
  readonly own: Readonly<Record<string, readonly string[]>>;
}

type ParameterOutcome =
  | { readonly type: "narrowed"; readonly schema: JsonSchema; readonly narrowed: NarrowedParameter }
  | { readonly type: "impossible"; readonly reason: string };

function narrowParameter(
  { tool, lists, own }: Rules,
  { name, place, schema, isAlternative }: FoundParameter,
): ParameterOutcome | undefined {
  const kind = guardedKind(tool, name);
  const listed = Object.hasOwn(own, name) ? own[name] : undefined;
  if (kind === undefined && listed === undefined) return undefined;
  const allowed = listed ?? (kind === "path" ? lists.paths : lists.commands);
  const form = parameterForm(schema, tool.inputSchema);
  if (form?.type === "group" && listed === undefined) return undefined;
  if (form === undefined || form.type === "group")
    return { type: "impossible", reason: "takes more than texts, so no allow-list can hold it" };
  if (allowed === undefined) return { type: "impossible", reason: `is a ${kind}, and no allow-list is given for it` };
  if (isAlternative) {
    return { type: "impossible", reason: "stands in one of several alternatives, so no allow-list can hold it" };
  }
  const held = holdToList(form, allowed);
  if (held === undefined) return { type: "impossible", reason: "takes nothing that its allow-list allows" };
  return { type: "narrowed", schema: held.schema, narrowed: { place, kind: kind ?? "listed", allowed: held.values } };
}

function listsOf({ name }: ToolDefinition, { parameters = {} }: AllowLists): Rules["own"] {
  return (Object.hasOwn(parameters, name) ? parameters[name] : undefined) ?? {};
}
