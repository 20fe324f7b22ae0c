import type { LayeredState } from "../../core/layers/layered-state.ts";
import { readState, serializeState } from "../../core/layers/state/serialize-state.ts";
import type { AuditRecord } from "./audit-log.ts";

/** Each checkpoint holds them; the whole log of a long life would be too much. */
const MAX_SAVED_AUDIT = 1_000;

/** What a checkpoint keeps of an agent beside its log and files. */
export function saveState(state: LayeredState, audit: readonly AuditRecord[]): unknown {
  return { layers: serializeState(state), audit: audit.slice(-MAX_SAVED_AUDIT) };
}

/** What {@link saveState} gave; undefined for a checkpoint that someone else made of the session, with another state or none. */
export function readSavedState(
  saved: unknown,
): { readonly state: LayeredState; readonly audit: readonly AuditRecord[] } | undefined {
  if (typeof saved !== "object" || saved === null) return undefined;
  const layers: unknown = Reflect.get(saved, "layers");
  const audit: unknown = Reflect.get(saved, "audit");
  if (typeof layers !== "string") return undefined;
  return { state: readState(layers), audit: Array.isArray(audit) ? audit : [] };
}
