import { assert, assertArray, assertObject } from "../../core/assert.ts";
import { oldestThinkers } from "../../core/history/provider-clearing.ts";
import { assertClearing, CLEARING_EVENTS, clearingOf, isSameClearing, newlyCleared } from "./provider-clearing.ts";
import type { RecalledExchange, SessionLineage } from "./report.ts";
import type { Session } from "./session.ts";
import type { SessionContext } from "./session-context.ts";

type RecordOperations = Pick<Session, "recordRecall" | "recordCompaction" | "recordLineage" | "recordClearing">;

/** The operations that keep what happened outside of the session: at the provider, in a gateway, or among agents. */
export function recordOperations({ ports, live: { log } }: SessionContext): RecordOperations {
  const { now } = ports.condensation;
  return {
    recordRecall: async (exchange) => {
      assertExchange(exchange);
      const { key, api, items, results } = exchange;
      log.record({ type: "recalled", at: now(), key, api, items, results });
      await log.flush();
    },
    recordCompaction: async (keys) => {
      assertKeys("keys", keys);
      log.record({ type: "compacted", at: now(), keys: [...keys] });
      await log.flush();
    },
    recordLineage: async (lineage) => {
      assertLineage(lineage);
      const { scopeId, ownName, parentName, keys } = lineage;
      await log.refresh();
      const isRecorded = (await log.events(["lineage"])).some(
        (event) => event.type === "lineage" && event.scopeId === scopeId,
      );
      if (!isRecorded) log.record({ type: "lineage", at: now(), scopeId, ownName, parentName, keys: [...keys] });
      // Also when it is recorded: an earlier call may have failed to write the event.
      await log.flush();
    },
    recordClearing: async (reported) => {
      assertClearing(reported);
      const { toolUseIds, hidesInputs = false, thoughts = 0 } = reported;
      await log.refresh();
      const { view } = log.state();
      const cleared = { toolUseIds: [...toolUseIds], hidesInputs, thoughtsOf: oldestThinkers(view, thoughts) };
      const { cleared: before } = clearingOf(await log.events(CLEARING_EVENTS));
      if (isSameClearing(cleared, before)) return;
      log.record({ type: "cleared", at: now(), ...newlyCleared(before, cleared) });
      await log.flush();
    },
  };
}

function assertKeys(name: string, keys: readonly string[]): void {
  assertArray(name, keys);
  for (const [index, key] of keys.entries()) {
    const isTerm = typeof key === "string" && key !== "" && !/\s/u.test(key) && key === key.toLowerCase();
    assert(
      isTerm,
      `${name}[${index}]`,
      key,
      "lower case, without white space and not empty: the store finds it by this",
    );
  }
}

function assertLineage(lineage: SessionLineage): void {
  assertObject("lineage", lineage);
  const { scopeId, ownName, parentName, keys } = lineage;
  for (const [name, value] of Object.entries({ scopeId, ownName, parentName })) {
    assert(typeof value === "string" && value !== "", `lineage.${name}`, value, "a string that is not empty");
  }
  assertKeys("lineage.keys", keys);
}

function assertExchange(exchange: RecalledExchange): void {
  assertObject("exchange", exchange);
  const { key, api, items, results } = exchange;
  assert(
    typeof key === "string" && /^[^\sA-Z]+$/.test(key),
    "exchange.key",
    key,
    "a text in lower case, without white space",
  );
  assert(typeof api === "string", "exchange.api", api, "the name of an API");
  assertArray("exchange.items", items);
  assertArray("exchange.results", results);
}
