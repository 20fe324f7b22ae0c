import { assertArray, assertObject } from "../../assert.ts";
import type { Checklist, KnowledgeEntry, LayeredState, Preference, Skill, Template } from "../layered-state.ts";
import { addKnowledge, setPreference } from "../updates/memory.ts";
import { addProcedure } from "../updates/procedures.ts";

/** What the files of a folder tell an agent. */
export interface LoadedMemory {
  readonly preferences: readonly Preference[];
  readonly projectKnowledge: readonly KnowledgeEntry[];
  readonly skills: readonly Skill[];
  readonly templates: readonly Template[];
  readonly checklists: readonly Checklist[];
}

/**
 * The state with what was loaded, for example by `loadMemory`; what has the same id or key is replaced, so files can be loaded again. Ticks
 * of checklists that are loaded again are those of the files.
 * @example
 * ```ts
 * import { addLoadedMemory, createInitialState } from "palimpsest/agent";
 * const nothing = { projectKnowledge: [], skills: [], templates: [], checklists: [] };
 * const state = addLoadedMemory(createInitialState("Fix the login"), { ...nothing, preferences: [{ key: "quotes", value: "double" }] });
 * console.log(state.l3_memory.semantic.preferences); // [ { key: 'quotes', value: 'double' } ]
 * ```
 */
export function addLoadedMemory(state: LayeredState, memory: LoadedMemory): LayeredState {
  assertObject("memory", memory);
  for (const kind of ["preferences", "projectKnowledge", "skills", "templates", "checklists"] as const)
    assertArray(`memory.${kind}`, memory[kind]);
  const { preferences, projectKnowledge, skills, templates, checklists } = memory;
  let loaded = preferences.reduce(setPreference, state);
  loaded = projectKnowledge.reduce(addKnowledge, loaded);
  loaded = skills.reduce((before, skill) => addProcedure(before, "skills", skill), loaded);
  loaded = templates.reduce((before, template) => addProcedure(before, "templates", template), loaded);
  return checklists.reduce((before, checklist) => addProcedure(before, "checklists", checklist), loaded);
}
