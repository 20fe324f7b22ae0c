import { assertArray, assertObject } from "../../assert.ts";
import type { Checklist, KnowledgeEntry, LayeredState, Preference, Skill, Template } from "../layered-state.ts";
import { addKnowledge, setPreference } from "../updates/memory.ts";
import { addProcedure } from "../updates/procedures.ts";

/** The memory entries that were read from the files of a folder. */
export interface LoadedMemory {
  readonly preferences: readonly Preference[];
  readonly projectKnowledge: readonly KnowledgeEntry[];
  readonly skills: readonly Skill[];
  readonly templates: readonly Template[];
  readonly checklists: readonly Checklist[];
}

/**
 * Adds loaded entries, for example those of `loadMemory`, to a state. Entries with the same id or key are replaced, so that files can be loaded
 * again. A checklist that is loaded again has the ticks of its file.
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
