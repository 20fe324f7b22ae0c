import { WIRE_ADAPTERS } from "../adapters/index.ts";
import { assert, assertFunction, assertNumber, assertObject, assertOptionNames } from "../core/assert.ts";
import { assertStore } from "../core/store/assert-store.ts";
import type { ResolvedConfiguration } from "../engine/configuration/configuration.ts";
import { CACHE_MARKINGS, CACHE_TTLS, KEPT_REQUESTS, REQUEST_KINDS } from "./defaults.ts";
import type { CacheOptions, GatewayLimits, GatewayOptions, RequestBudgets } from "./gateway.ts";
import { upstreamsOf } from "./http/route.ts";
import { assertRetaining } from "./retention/retain.ts";

const DEFAULT_LIMITS: GatewayLimits = {
  maxBodyBytes: 64 * 1024 * 1024,
  maxDecodedBytes: 256 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  maxTargetBytes: 8 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 300_000,
  turnTimeoutMs: 20_000,
  storeTimeoutMs: 5_000,
  storeRestartMs: 0,
  checkpointTimeoutMs: 10_000,
  maxOpenSessions: 64,
};

/** The share of a turn's time that the store may take, so that the turn can still go on without it. */
const STORE_SHARE_OF_TURN = 0.25;

const GATEWAY_OPTIONS: Readonly<Record<keyof GatewayOptions, true>> = {
  port: true,
  host: true,
  token: true,
  upstreams: true,
  adapters: true,
  store: true,
  workspaceOf: true,
  windows: true,
  budgets: true,
  registry: true,
  condenser: true,
  configuration: true,
  offload: true,
  recallTool: true,
  keepRequests: true,
  cache: true,
  environment: true,
  log: true,
  limits: true,
  retention: true,
};

/** Throws "invalid-argument" for options that no gateway can run with. */
export function assertGatewayOptions(options: GatewayOptions): void {
  assertObject("options", options);
  const { store, port, host, windows, workspaceOf } = options;
  assertOptionNames("options", options, GATEWAY_OPTIONS);
  assertStore("options.store", store);
  assertUpstreams(options);
  if (port !== undefined) {
    assert(Number.isInteger(port) && port >= 0 && port <= 65_535, "options.port", port, "a port: 0 to 65535");
  }
  if (host !== undefined)
    assert(typeof host === "string" && host !== "", "options.host", host, "a host name or address");
  if (workspaceOf !== undefined) assertFunction("options.workspaceOf", workspaceOf);
  assertCache(options.cache);
  const { recallTool = false } = options;
  assert(typeof recallTool === "boolean", "options.recallTool", recallTool, "true or false");
  const { keepRequests = "all" } = options;
  assert(KEPT_REQUESTS.includes(keepRequests), "options.keepRequests", keepRequests, KEPT_REQUESTS.join(" or "));
  assertBudgets(options.budgets);
  assertRetaining(options);
  if (windows?.all !== undefined) assertNumber("options.windows.all", windows.all, 1);
  for (const [model, window] of Object.entries(windows?.models ?? {})) {
    assertNumber(`options.windows.models.${model}`, window, 1);
  }
}

/** With a mistyped name, requests and their keys would go to the default server. */
function assertUpstreams({ upstreams = {}, adapters = WIRE_ADAPTERS }: GatewayOptions): void {
  assertObject("options.upstreams", upstreams);
  const known = upstreamsOf(adapters).map(({ name }) => name);
  const unknown = Object.keys(upstreams).find((name) => !known.includes(name));
  assert(unknown === undefined, "options.upstreams", unknown, `URLs of ${known.join(", ")}`);
}

function assertBudgets(budgets: RequestBudgets | undefined): void {
  if (budgets === undefined) return;
  assertObject("options.budgets", budgets);
  const unknown = Object.keys(budgets).find((kind) => !REQUEST_KINDS.some((each) => each === kind));
  assert(unknown === undefined, "options.budgets", unknown, `budgets of ${REQUEST_KINDS.join(", ")}`);
  for (const kind of REQUEST_KINDS) {
    if (budgets[kind] !== undefined) assertNumber(`options.budgets.${kind}`, budgets[kind], 1);
  }
}

function assertCache(cache: CacheOptions | undefined): void {
  if (cache === undefined) return;
  assertObject("options.cache", cache);
  const { breakpoints = "folded", ttl = "5m", diagnosis } = cache;
  assert([undefined, true, false].includes(diagnosis), "options.cache.diagnosis", diagnosis, "true or false");
  assert(CACHE_MARKINGS.includes(breakpoints), "options.cache.breakpoints", breakpoints, CACHE_MARKINGS.join(", "));
  assert(CACHE_TTLS.includes(ttl), "options.cache.ttl", ttl, CACHE_TTLS.join(" or "));
}

/** The limits of a gateway: those of the options, else the defaults, with more time for turns in which a model may condense. */
export function limitsOf({ strategies }: ResolvedConfiguration, { condenser, limits }: GatewayOptions): GatewayLimits {
  const { timeoutMs, maxModelCalls } = strategies;
  const condensingMs = condenser === undefined ? 0 : timeoutMs * maxModelCalls;
  const turnTimeoutMs = limits?.turnTimeoutMs ?? DEFAULT_LIMITS.turnTimeoutMs + condensingMs;
  const storeTimeoutMs = Math.min(DEFAULT_LIMITS.storeTimeoutMs, STORE_SHARE_OF_TURN * turnTimeoutMs);
  return { ...DEFAULT_LIMITS, turnTimeoutMs, storeTimeoutMs, ...limits };
}
