import { assert, assertArray, assertFunction, assertObject, assertOptionNames } from "../core/assert.ts";
import { checkMessages } from "../core/message/check-messages.ts";
import type { CountTokens } from "../core/message/message.ts";
import { createModelRegistry } from "../core/models/registry.ts";
import type { CondensationPlugin, CondensationResult, CondensationValidator } from "../core/ports/condensation.ts";
import type { Telemetry } from "../core/ports/telemetry.ts";
import { assertAcknowledge } from "../core/store/assert-store-arguments.ts";
import { checkedCounter } from "../core/tokens/checked-counter.ts";
import { LEDGER_NAME, ledgerCondenser } from "./condense/ledger-condenser.ts";
import { createOffSwitch } from "./condense/off-switch.ts";
import type { CondensationPorts } from "./condense/run-condensation.ts";
import type { ResolvedConfiguration } from "./configuration/configuration.ts";
import { isLogged } from "./configuration/log-level.ts";
import { resolveConfiguration } from "./configuration/resolve-configuration.ts";
import type { Engine, EngineCondenseRequest, EngineOptions } from "./engine.ts";
import { assertName, assertOptionalMethods } from "./extensions/assert-members.ts";
import type { OnFault } from "./extensions/fault.ts";
import { createHookRunner } from "./extensions/hook-runner.ts";
import { createPluginRegistry } from "./extensions/plugin-registry.ts";
import { safeResolvers } from "./extensions/safe-resolvers.ts";
import { latePart } from "./late-part.ts";
import { createMonitor, TELEMETRY_METHODS } from "./monitoring/monitor.ts";
import { type CompareMeaning, createCompareMeaning } from "./session/compare-meaning.ts";
import { resolveModel } from "./session/session-model.ts";
import { createSessions, type Sessions } from "./session/sessions.ts";

/**
 * Creates an engine. It keeps the log of each session, and prepares the view of it that fits the model's window. The default validators demand that
 * a summary saves tokens, makes sense and keeps the critical facts; a ledger condenses where you pass no condenser, and where yours fail.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * const engine = createEngine({ model: "claude-sonnet-4-5" });
 * const session = await engine.session("task-42");
 * await session.append({ role: "user", content: "Fix the login test." });
 * const { messages } = await session.prepare();
 * console.log(messages.length); // 1
 * ```
 */
export function createEngine(options: EngineOptions): Engine {
  assertObject("options", options);
  const condensers = listOf(options.condenser);
  const hasLedger = Array.isArray(condensers) && condensers.some((condenser) => condenser?.name === LEDGER_NAME);
  const withLedger = hasLedger ? options : { ...options, condenser: [...condensers, ledgerCondenser()] };
  return buildEngine(withLedger, builtInValidators);
}

/**
 * Creates an engine with only what you pass: no ledger and no validators. Its views are still lossless, valid and smaller.
 * @example
 * ```ts
 * import { createBareEngine, ledgerCondenser, tokenValidator } from "palimpsest";
 * const engine = createBareEngine({ model: "claude-sonnet-4-5", condenser: ledgerCondenser(), validators: [tokenValidator()] });
 * const session = await engine.session("task-42", { messages: [{ role: "user", content: "Fix the login test." }] });
 * console.log((await session.view()).length); // 1
 * ```
 */
export function createBareEngine(options: EngineOptions): Engine {
  return buildEngine(options, async () => []);
}

/** Returns the validators of an engine besides those that are passed to it. */
type BuiltInValidators = (
  configuration: ResolvedConfiguration,
  countTokens: CountTokens,
) => Promise<readonly CondensationValidator[]>;

/** Loaded with the first condensation. */
const loadValidators = latePart(() => import("./condense/built-in-validators.ts"));

const builtInValidators: BuiltInValidators = async (configuration, countTokens) =>
  (await loadValidators()).builtInValidators(configuration, countTokens);

const ENGINE_OPTIONS: Readonly<Record<keyof EngineOptions, true>> = {
  model: true,
  contextWindow: true,
  maxTokens: true,
  cacheTtlMs: true,
  condenser: true,
  configuration: true,
  store: true,
  registry: true,
  countTokens: true,
  validators: true,
  hooks: true,
  resolvers: true,
  telemetry: true,
  log: true,
  now: true,
  pause: true,
  acknowledge: true,
  offload: true,
  embedder: true,
  workspaceOf: true,
};

function buildEngine(options: EngineOptions, builtIn: BuiltInValidators): Engine {
  assertObject("options", options);
  assertOptionNames("options", options, ENGINE_OPTIONS);
  const { registry = createModelRegistry(), now = Date.now, validators = [] } = options;
  assertFunction("options.now", now);
  if (options.pause !== undefined) assertFunction("options.pause", options.pause);
  assertObject("options.registry", registry);
  assertFunction("options.registry.find", registry.find);
  // An invalid model throws here, not when the first session is opened.
  resolveModel(options, registry);
  const countTokens = checkedCounter(options.countTokens);
  const settings = createSettings(options, (configuration) => builtIn(configuration, countTokens));
  const ports = createPorts(options, settings, now);
  const { plugins, hooks, monitor } = ports;
  const { store, acknowledge = "durable", workspaceOf, offload } = options;
  assertAcknowledge("options.acknowledge", acknowledge);
  if (workspaceOf !== undefined) assertFunction("options.workspaceOf", workspaceOf);
  const compareMeaning = meaningOf(options, monitor.fault);
  const kept = { store, acknowledge, workspaceOf, offload };
  const sessions = createSessions(options, { condensation: ports, registry, countTokens, compareMeaning, ...kept });
  assertArray("options.validators", validators);
  validators.forEach(settings.registerValidator);
  return {
    session: sessions.open,
    sessions: sessions.list,
    deleteSession: sessions.delete,
    importSession: sessions.import,
    recall: sessions.recall,
    statement: sessions.statement,
    configure: settings.configure,
    registerPlugin: plugins.register,
    unregisterPlugin: plugins.unregister,
    registerValidator: settings.registerValidator,
    registerHook: hooks.register,
    condense: (request) => condenseOnce(sessions, request),
    getMetrics: monitor.getMetrics,
    getHistory: monitor.getHistory,
  };
}

type ChangingPorts = Pick<CondensationPorts, "configuration" | "validators" | "offSignal">;

/** The settings that may change while the engine is in use. */
interface Settings extends ChangingPorts, Pick<Engine, "configure" | "registerValidator"> {}

function createSettings(
  options: EngineOptions,
  builtIn: (configuration: ResolvedConfiguration) => Promise<readonly CondensationValidator[]>,
): Settings {
  let configuration = resolveConfiguration(options.configuration);
  let registered: readonly CondensationValidator[] = [];
  const offSwitch = createOffSwitch(() => configuration);
  return {
    get configuration() {
      return configuration;
    },
    validators: async () => [...(await builtIn(configuration)), ...registered],
    get offSignal() {
      return offSwitch.signal();
    },
    configure: (changes) => {
      configuration = resolveConfiguration(changes, configuration);
      offSwitch.update();
      return configuration;
    },
    registerValidator: (validator) => {
      assertValidator(validator);
      registered = [...registered, validator];
    },
  };
}

function createPorts(options: EngineOptions, settings: ChangingPorts, now: () => number): CondensationPorts {
  const monitor = createMonitor({ ...outputsOf(options, () => settings.configuration), now });
  return {
    plugins: createPluginRegistry(listOf(options.condenser), { onFault: monitor.fault }),
    hooks: createHookRunner(options.hooks ?? [], monitor.fault),
    resolvers: safeResolvers(options.resolvers ?? {}, monitor.fault),
    hasResolvers: Object.keys(options.resolvers ?? {}).length > 0,
    monitor,
    now,
    pause: options.pause ?? (() => undefined),
    validators: settings.validators,
    // Getters, so that a change takes effect at once, also while a model is asked.
    get configuration() {
      return settings.configuration;
    },
    get offSignal() {
      return settings.offSignal;
    },
  };
}

async function condenseOnce(sessions: Sessions, request: EngineCondenseRequest): Promise<CondensationResult> {
  assertObject("request", request);
  checkMessages(request.messages);
  const { taskId = "", prompt, signal, trigger, ...sessionOptions } = request;
  const session = await sessions.openOnce(taskId, sessionOptions);
  return session.condense({ prompt, signal, trigger });
}

function listOf(condenser: EngineOptions["condenser"]): readonly CondensationPlugin[] {
  if (condenser === undefined) return [];
  return isList(condenser) ? condenser : [condenser];
}

function isList(value: CondensationPlugin | readonly CondensationPlugin[]): value is readonly CondensationPlugin[] {
  return Array.isArray(value);
}

function assertValidator(validator: CondensationValidator): void {
  assertObject("validator", validator);
  assert(typeof validator.name === "string" && validator.name !== "", "validator.name", validator.name, "a name");
  assertFunction("validator.validate", validator.validate);
}

/** Telemetry and log of the options, which do nothing while the configuration switches them off. */
function outputsOf(
  { telemetry = [], log = (line) => console.error(line) }: EngineOptions,
  configuration: () => ResolvedConfiguration,
): { readonly telemetry: readonly Telemetry[]; readonly log: NonNullable<EngineOptions["log"]> } {
  assertArray("options.telemetry", telemetry);
  assertFunction("options.log", log);
  const isOn = () => configuration().monitoring.telemetry;
  return {
    telemetry: telemetry.map((listener, index) => {
      assertOptionalMethods(`options.telemetry[${index}]`, listener, TELEMETRY_METHODS);
      return {
        onCondensationStart: (event) => (isOn() ? listener.onCondensationStart?.(event) : undefined),
        onCondensationSuccess: (event) => (isOn() ? listener.onCondensationSuccess?.(event) : undefined),
        onCondensationFailure: (event) => (isOn() ? listener.onCondensationFailure?.(event) : undefined),
        onFallbackToTruncation: (event) => (isOn() ? listener.onFallbackToTruncation?.(event) : undefined),
      };
    }),
    log: (line, level) => (isLogged(configuration().monitoring.logging, level) ? log(line, level) : undefined),
  };
}

function meaningOf({ embedder }: EngineOptions, onFault: OnFault): CompareMeaning | undefined {
  if (embedder === undefined) return undefined;
  assertObject("options.embedder", embedder);
  assertName("options.embedder.name", embedder.name);
  assertFunction("options.embedder.embed", embedder.embed);
  return createCompareMeaning({ embedder, onFault });
}
