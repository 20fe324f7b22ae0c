/** What tests of agents, stores and adapters need: a model server as strict as the real ones, and the contracts of both. */

export type { ClearingKind, ProviderClearing } from "../core/history/provider-clearing.ts";
export type * from "../core/message/message-types.ts";
export type { ViewProblemCode } from "../core/message/validate-view.ts";
export type { WireProblemCode } from "../core/message/wire-rules.ts";
export type { ModelFailure } from "../core/policy/failure-texts.ts";
export type * from "../core/ports/store.ts";
export type * from "../core/ports/store-maintenance.ts";
export type {
  CacheBreakpoints,
  OnlyTool,
  RawRequest,
  ReplyFollower,
  ReplyNotes,
  ReportedClearing,
  SessionHeader,
  WireAdapter,
  WireClearing,
  WireLimits,
  WireName,
  WireOperation,
  WirePart,
  WireRequest,
  WireService,
  WireSessions,
  WireTelemetry,
  WireUpstream,
} from "../core/ports/wire-adapter.ts";
export type {
  RecallCall,
  RecalledReply,
  RecallResult,
  RelayedReply,
  ReplyRelay,
  WireRecall,
} from "../core/ports/wire-recall.ts";
export type { ReportedCacheMiss } from "../core/statement/cache-diagnosis.ts";
export type { ReportedUsage } from "../core/tokens/forecast.ts";
export type {
  AdapterContractCase,
  AdapterFixtures,
  ContractReply,
  ContractStep,
} from "./adapter-contract/contract-case.ts";
export { testAdapter } from "./adapter-contract/test-adapter.ts";
export { cachedShare } from "./model-server/cache/prompt-cache.ts";
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
