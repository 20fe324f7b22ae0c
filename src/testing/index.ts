/** What tests of agents and stores need: a model server as strict as the real ones, and the contract of stores. */

export type {
  AppendOptions,
  AppendOutcome,
  FoundRecord,
  ListCheckpointsOptions,
  ListSessionsOptions,
  LockOutcome,
  LockRelease,
  LockRequest,
  NewRecord,
  ReadOptions,
  SearchOptions,
  Store,
  StoredCheckpoint,
  StoredRecord,
  StoredSession,
} from "../core/ports/store.ts";
export { cachedShare } from "./model-server/cache/cached-share.ts";
export type { JsonObject } from "./model-server/json.ts";
export type {
  ModelRequest,
  ModelServer,
  ModelServerOptions,
  ModelWire,
  PromptCacheUse,
  ScriptedHalf,
  ScriptedOpening,
  ScriptedReply,
  ScriptedThought,
  ScriptedToolCall,
  ScriptedUsage,
} from "./model-server/model-server.ts";
export { startModelServer } from "./model-server/start-model-server.ts";
export type {
  DurableStoreContractCase,
  OpenStore,
  StoreContractCase,
  StoreHandles,
} from "./store-contract/contract-case.ts";
export {
  type DamageContractCase,
  type DamagedStore,
  damageStoreContract,
  type StoredPlace,
} from "./store-contract/damage-cases.ts";
export { durableStoreContract } from "./store-contract/durable-cases.ts";
export { storeContract } from "./store-contract/store-contract.ts";
