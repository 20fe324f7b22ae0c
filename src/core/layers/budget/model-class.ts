import { CONDENSE_DEFAULTS } from "../../models/condense-defaults.ts";
import type { ModelEntry } from "../../models/model-entry.ts";
import { condenseDefaults } from "../../models/registry.ts";

/** Classes of models that budgets are shifted for. */
export type ModelClass = "opus" | "haiku";

/** The class that a model is condensed like; undefined for one between the two, and for those that we do not know. */
export function modelClassOf(model: ModelEntry | string): ModelClass | undefined {
  const defaults = condenseDefaults(model);
  if (defaults === CONDENSE_DEFAULTS.opus) return "opus";
  return defaults === CONDENSE_DEFAULTS.haiku ? "haiku" : undefined;
}
