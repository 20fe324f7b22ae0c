import type { SavedStates } from "../../core/ports/store.ts";
import { assertSessionKey, assertState } from "../../core/store/assert-store-arguments.ts";
import { assertInUse, handleOf, type OutageContext, storeKeyOf, unavailable } from "./outage-context.ts";

/**
 * Returns the store's calls for saved states, if the store keeps states. A state can be made again at any time, so states are not buffered: while
 * the store does not answer, both calls throw.
 */
export function stateCalls(context: OutageContext): { readonly savedStates?: SavedStates } {
  const { savedStates } = context.behind;
  if (savedStates === undefined) return {};
  const { breaker } = context;
  return {
    savedStates: {
      save: async (key, state) => {
        assertInUse(context);
        assertState(key, state);
        const storeKey = storeKeyOf(context, key);
        // The state includes records that the store does not have, and may never get.
        if (handleOf(context, key)?.buffer !== undefined) throw unavailable();
        const asked = await breaker.ask(() => savedStates.save(storeKey, state));
        if (asked.type === "unavailable") throw unavailable();
      },
      read: async (key) => {
        assertInUse(context);
        assertSessionKey(key);
        const storeKey = storeKeyOf(context, key);
        const asked = await breaker.ask(() => savedStates.read(storeKey), { isReading: true });
        if (asked.type === "unavailable") throw unavailable();
        const handle = handleOf(context, key);
        // A user of the session that gets a state need not read the records before it. One that ignores the state reads them all before it appends.
        if (handle !== undefined && asked.value !== undefined) {
          const known = Math.min(asked.value.version, handle.latestVersion);
          handle.deliveredVersion = Math.max(handle.deliveredVersion, known);
        }
        return asked.value;
      },
    },
  };
}
