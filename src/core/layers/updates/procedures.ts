import { assert, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Checklist, LayeredState, ProceduralMemory, ProcedureKinds } from "../layered-state.ts";
import { PROCEDURE_CHECKS } from "../state/entry-checks.ts";
import { idOf, put } from "./lists.ts";
import { withMemory } from "./memory.ts";

/**
 * Adds a skill, a template, a checklist or a procedure, in place of one with the same id.
 * @example
 * ```ts
 * import { addProcedure, createInitialState } from "palimpsest/agent";
 * const skill = { id: "p1", name: "release", content: "", steps: ["Tag it", "Publish it"], tools: ["git", "npm"] };
 * const state = addProcedure(createInitialState("Release"), "skills", skill);
 * console.log(state.l3_memory.procedural.skills.map(({ name }) => name)); // [ 'release' ]
 * ```
 */
export function addProcedure<Kind extends keyof ProcedureKinds>(
  state: LayeredState,
  kind: Kind,
  procedure: ProcedureKinds[Kind],
): LayeredState {
  const { procedural } = state.l3_memory;
  assert(Object.hasOwn(procedural, kind), "kind", kind, `one of ${Object.keys(procedural).join(", ")}`);
  PROCEDURE_CHECKS[kind](procedure, "procedure");
  if (kind === "checklists") assertItemIds(procedure);
  const list: ProceduralMemory[Kind] = procedural[kind];
  return withMemory(state, { procedural: { ...procedural, [kind]: put<ProcedureKinds[Kind]>(list, procedure, idOf) } });
}

/** An item of a checklist, by the ids of both, and its new state. */
export interface ChecklistTick {
  readonly checklistId: string;
  readonly itemId: string;
  /** False removes the tick. @default true */
  readonly isDone?: boolean;
}

/**
 * Ticks an item of a checklist, or removes the tick. Throws "not-found" where there is no such checklist or item; the message names the
 * existing ones.
 * @example
 * ```ts
 * import { addProcedure, createInitialState, tickItem } from "palimpsest/agent";
 * const items = [{ id: "tag", text: "Tag it", isDone: false }];
 * const state = addProcedure(createInitialState("Release"), "checklists", { id: "c1", name: "release", content: "", items });
 * const ticked = tickItem(state, { checklistId: "c1", itemId: "tag" });
 * console.log(ticked.l3_memory.procedural.checklists[0]?.items?.[0]?.isDone); // true
 * ```
 */
export function tickItem(state: LayeredState, tick: ChecklistTick): LayeredState {
  assertObject("tick", tick);
  const { checklistId, itemId, isDone = true } = tick;
  assert(typeof isDone === "boolean", "tick.isDone", isDone, "true or false");
  const { procedural } = state.l3_memory;
  const checklist = procedural.checklists.find(({ id }) => id === checklistId);
  if (checklist === undefined) throw noSuch("checklist", checklistId, procedural.checklists.map(idOf));
  const items = checklist.items ?? [];
  const place = items.findIndex(({ id }) => id === itemId);
  const item = items[place];
  if (item === undefined) throw noSuch(`item of the checklist ${JSON.stringify(checklistId)}`, itemId, items.map(idOf));
  if (item.isDone === isDone) return state;
  const changed: Checklist = { ...checklist, items: items.with(place, { ...item, isDone }) };
  return withMemory(state, { procedural: { ...procedural, checklists: put(procedural.checklists, changed, idOf) } });
}

/** Throws on two items with the same id, because the second could never be ticked. */
function assertItemIds({ items = [] }: Checklist): void {
  const ids = items.map(idOf);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  assert(
    repeated === undefined,
    "procedure.items",
    items,
    `items with ids of their own: ${JSON.stringify(repeated)} is there twice`,
  );
}

function noSuch(kind: string, id: string, known: readonly string[]): PalimpsestError {
  const there =
    known.length === 0 ? "there are none" : `there are ${known.map((each) => JSON.stringify(each)).join(", ")}`;
  return new PalimpsestError("not-found", `No ${kind} has the id ${JSON.stringify(id)}; ${there}.`);
}
