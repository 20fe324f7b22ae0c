import { setImmediate } from "node:timers/promises";
import { folderOffload } from "../../checkpoints/folder-offload.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { LineLevel } from "../../engine/configuration/configuration.ts";
import type { CloseOptions, Gateway } from "../../gateway/gateway.ts";
import { type RunningTelemetry, startGateway, startTelemetry } from "../../gateway/index.ts";
import { packageVersion } from "../../gateway/package-version.ts";
import type { StatementTotals } from "../../gateway/statements.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, wrongUsage } from "../terminal/command-line.ts";
import { condenseWith } from "./condense-with.ts";
import { type GatewayFiles, openGatewayFiles } from "./gateway-files.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { type GatewayStoreLocation, openGatewayStore, restartLimits } from "./gateway-store.ts";

export interface OpenGatewayOptions {
  readonly command: Command;
  readonly settings: GatewaySettings;
  readonly port: number;
  readonly host: string;
  readonly token: string | undefined;
  /** The folder whose files are kept at each turn of a person. @default none */
  readonly files?: FilesFolder | undefined;
  /** Called with lines about incidents. */
  readonly log: (line: string, level: LineLevel) => void;
}

export interface FilesFolder {
  readonly folder: string;
  /** Whether to refuse to start if the files cannot be kept; otherwise there is only a note. */
  readonly isDemanded: boolean;
}

/** A gateway in this process, with its store. */
export interface OpenGateway {
  readonly gateway: Gateway;
  readonly store: GatewayStoreLocation;
  /** Notes for the person, to be shown at the start. */
  readonly notes: readonly string[];
  /** Closes gateway and store, and sends the remaining telemetry. Resolves with the sums of what sessions cost; undefined if they cannot be read. */
  close(options?: CloseOptions): Promise<StatementTotals | undefined>;
}

// Stopping a gateway must not wait longer for a store that hangs.
const CLOSE_TIMEOUT_MS = 10_000;

/** Opens the store and starts a gateway on it. Throws errors that tell the person what to change. */
export async function openGateway(options: OpenGatewayOptions): Promise<OpenGateway> {
  const { command, settings, files, ...listen } = options;
  const { upstreams, windows, budgets, configuration, limits, cache, recallTool, keepRequests, retention } = settings;
  const condenser =
    settings.condenseWith === undefined
      ? undefined
      : await condenseWith(settings.condenseWith, { command, upstreams, environment: process.env });
  const { store, location, notes: storeNotes } = await openGatewayStore(settings.store);
  let opened: OpenedFiles = { notes: [] };
  try {
    opened = await openFiles(files, { command, location });
    const gateway = await startGateway({
      ...listen,
      workspaceOf: opened.files?.workspaceOf,
      environment: process.env,
      upstreams,
      store,
      windows,
      budgets,
      condenser,
      configuration,
      cache,
      recallTool,
      keepRequests,
      offload: settings.offload === undefined ? undefined : folderOffload({ folder: settings.offload }),
      limits: { ...restartLimits(location), ...limits },
      retention,
    });
    const { telemetry, notes } = await telemetryOf(gateway, listen.log);
    return {
      gateway,
      store: location,
      notes: [...storeNotes, ...opened.notes, ...notes],
      close: async (options) => {
        await within(gateway.close(options), (options?.graceMs ?? 0) + CLOSE_TIMEOUT_MS);
        opened.files?.close();
        // Replies that were cut off are added to the sums in a later turn of the event loop.
        await setImmediate();
        await telemetry?.close();
        const money = await within(gateway.statements.total(), CLOSE_TIMEOUT_MS).catch(() => undefined);
        await within(store.close(), CLOSE_TIMEOUT_MS);
        return money;
      },
    };
  } catch (error) {
    await store.close();
    throw cannotListen(command, error) ?? error;
  }
}

interface OpenedFiles {
  readonly files?: GatewayFiles;
  readonly notes: readonly string[];
}

/** Opens checkpoints of an agent's files. If they cannot be kept, that is an error only if they were asked for; otherwise there is a note. */
async function openFiles(
  wanted: FilesFolder | undefined,
  { command, location }: { readonly command: Command; readonly location: GatewayStoreLocation },
): Promise<OpenedFiles> {
  if (wanted === undefined) return { notes: [] };
  if (location.type === "memory") {
    // The sessions are gone when the gateway ends: no rewind could use the checkpoints, and nothing would remove them.
    if (!wanted.isDemanded) return { notes: [] };
    throw wrongUsage(command, "File checkpoints need sessions that last. Pass another --store than memory.");
  }
  try {
    return { files: await openGatewayFiles({ folder: wanted.folder, location }), notes: [] };
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
    if (wanted.isDemanded) throw new CommandError(1, `${command.name}: ${error.message}`);
    return {
      notes: [`the files of this folder are not kept: ${error.message} --no-checkpoints says that this is meant.`],
    };
  }
}

/** Starts telemetry. If it cannot be started, the gateway goes on without it, as the variables that ask for it may be meant for the agent. */
async function telemetryOf(
  { activity }: Gateway,
  log: OpenGatewayOptions["log"],
): Promise<{ readonly telemetry?: RunningTelemetry | undefined; readonly notes: readonly string[] }> {
  try {
    const options = {
      feed: activity,
      environment: process.env,
      version: packageVersion(),
      log: (line: string) => log(line, "warn"),
    };
    return { telemetry: await startTelemetry(options), notes: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { notes: [`no telemetry is sent: ${why}`] };
  }
}

/** Resolves with the result of the work, or with undefined after the timeout. */
async function within<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The error for a port that is in use, with what to do; undefined for any other error. */
function cannotListen(command: Command, error: unknown): CommandError | undefined {
  if (!(error instanceof PalimpsestError) || error.code !== "address-in-use") return undefined;
  const fix = "It may be another gateway: use that one, or pass --port N (0 takes any that is free).";
  return new CommandError(1, `${command.name}: ${error.message} ${fix}`);
}
